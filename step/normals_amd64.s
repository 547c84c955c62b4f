#include "textflag.h"

DATA scrambler<>+0(SB)/8, $0xda942042e4dd58b5
GLOBL scrambler<>(SB), RODATA|NOPTR, $8

// func normals(dst *float64, n int, p *pcg, strips *[128]strip) (done int)
//
// R8 and R9 the state, DX and AX the next one, R10-R13 multiplier and increment, CX how many are done, R15 the
// draw and what is made of it. The state is written after every number: it is the one before what is not accepted.
TEXT ·normals(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ p+16(FP), BX
	MOVQ strips+24(FP), SI
	MOVQ 0(BX), R8
	MOVQ 8(BX), R9
	MOVQ $0x4385df649fccf645, R10
	MOVQ $0x2360ed051fc65da4, R11
	MOVQ $0x5851f42d4c957f2d, R12
	MOVQ $0x14057b7ef767814f, R13
	XORQ CX, CX

draw:
	MOVQ  R9, AX
	MULQ  R10
	IMULQ R10, R8
	IMULQ R11, R9
	ADDQ  R8, DX
	ADDQ  R9, DX
	ADDQ  R13, AX
	ADCQ  R12, DX
	MOVQ  DX, R15
	SHRQ  $32, R15
	XORQ  DX, R15
	IMULQ scrambler<>(SB), R15
	MOVQ  R15, R8
	SHRQ  $48, R8
	XORQ  R8, R15
	MOVQ  AX, R8
	ORQ   $1, R8
	IMULQ R8, R15

	MOVLQSX  R15, R9             // j
	SHRQ     $28, R15
	ANDL     $0x7f0, R15         // 16 times the strip
	MOVQ     R9, R8
	NEGQ     R8
	CMOVQLT  R9, R8
	CMPQ     R8, 8(SI)(R15*1)
	JGE      end
	XORPS    X0, X0
	CVTSQ2SD R9, X0
	MULSD    0(SI)(R15*1), X0
	MOVSD    X0, (DI)(CX*8)
	MOVQ     DX, R8
	MOVQ     AX, R9
	MOVQ     R8, 0(BX)
	MOVQ     R9, 8(BX)
	INCQ     CX
	CMPQ     CX, n+8(FP)
	JLT      draw

end:
	MOVQ CX, done+32(FP)
	RET
