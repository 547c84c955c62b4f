#include "textflag.h"

DATA one<>+0(SB)/8, $1.0
GLOBL one<>(SB), RODATA|NOPTR, $8
DATA sign<>+0(SB)/8, $0x8000000000000000
GLOBL sign<>(SB), RODATA|NOPTR, $8

// func margins512(margin, minus *float64, rows *gaugedRow, x *float64, count, width int, thetas, plus, correct *float64)
//
// DI and DX what is written, SI the row's label, R8 its numbers, CX rows left, R9 fours of columns, R10 columns beyond,
// R11 the models' parameters, AX where in them. Z0-Z3 the four parts of a product, as Dot has them, Z10 the intercepts,
// Z11 how often each model is right.
TEXT ·margins512(SB), NOSPLIT, $0-72
	MOVQ         margin+0(FP), DI
	MOVQ         minus+8(FP), DX
	MOVQ         rows+16(FP), SI
	MOVQ         x+24(FP), R8
	MOVQ         count+32(FP), CX
	MOVQ         width+40(FP), R9
	MOVQ         R9, R10
	SHRQ         $2, R9
	ANDQ         $3, R10
	MOVQ         thetas+48(FP), R11
	MOVQ         plus+56(FP), AX
	VMOVUPD      (AX), Z10
	MOVQ         correct+64(FP), R13
	VMOVUPD      (R13), Z11
	VBROADCASTSD one<>(SB), Z12
	VBROADCASTSD sign<>(SB), Z13
	VPXORQ       Z14, Z14, Z14

row:
	VPXORQ Z0, Z0, Z0
	VPXORQ Z1, Z1, Z1
	VPXORQ Z2, Z2, Z2
	VPXORQ Z3, Z3, Z3
	MOVQ   R11, AX
	MOVQ   R9, BX
	TESTQ  BX, BX
	JEQ    beyond

four:
	VBROADCASTSD (R8), Z4
	VBROADCASTSD 8(R8), Z5
	VBROADCASTSD 16(R8), Z6
	VBROADCASTSD 24(R8), Z7
	VMULPD       (AX), Z4, Z4
	VMULPD       64(AX), Z5, Z5
	VMULPD       128(AX), Z6, Z6
	VMULPD       192(AX), Z7, Z7
	VADDPD       Z4, Z0, Z0
	VADDPD       Z5, Z1, Z1
	VADDPD       Z6, Z2, Z2
	VADDPD       Z7, Z3, Z3
	ADDQ         $32, R8
	ADDQ         $256, AX
	DECQ         BX
	JNE          four

beyond:
	MOVQ  R10, BX
	TESTQ BX, BX
	JEQ   combine

single:
	VBROADCASTSD (R8), Z4
	VMULPD       (AX), Z4, Z4
	VADDPD       Z4, Z0, Z0
	ADDQ         $8, R8
	ADDQ         $64, AX
	DECQ         BX
	JNE          single

combine:
	VADDPD       Z1, Z0, Z0
	VADDPD       Z3, Z2, Z2
	VADDPD       Z2, Z0, Z0
	VADDPD       Z10, Z0, Z0
	VBROADCASTSD (SI), Z4               // the label
	VCMPPD       $0x1D, Z14, Z0, K1     // margin at least 0
	VCMPPD       $0x1E, Z14, Z4, K2     // label above 0
	KXNORW       K2, K1, K1
	VADDPD       Z12, Z11, K1, Z11
	VMULPD       Z0, Z4, Z0
	VPXORQ       Z13, Z0, Z5
	VMOVUPD      Z0, (DI)
	VMOVUPD      Z5, (DX)
	ADDQ         $64, DI
	ADDQ         $64, DX
	ADDQ         $56, SI
	DECQ         CX
	JNE          row
	VMOVUPD      Z11, (R13)
	VZEROUPPER
	RET

// func losses512(loss, minimised, margin, plain *float64, rows *gaugedRow, count int)
//
// Z0 and Z1 the sums, Z2 the plain loss and then the clipped one, Z3 the margin, Z4 where the bend is, Z5 the loss below it.
TEXT ·losses512(SB), NOSPLIT, $0-48
	MOVQ    loss+0(FP), DI
	MOVQ    minimised+8(FP), DX
	MOVQ    margin+16(FP), R8
	MOVQ    plain+24(FP), R9
	MOVQ    rows+32(FP), SI
	MOVQ    count+40(FP), CX
	VMOVUPD (DI), Z0
	VMOVUPD (DX), Z1

row:
	VMOVUPD      (R9), Z2
	VMULPD.BCST  8(SI), Z2, Z2
	VADDPD       Z2, Z0, Z0
	VMOVUPD      (R8), Z3
	VBROADCASTSD 24(SI), Z4
	VSUBPD       Z3, Z4, Z5
	VMULPD.BCST  40(SI), Z5, Z5
	VADDPD.BCST  48(SI), Z5, Z5
	VMULPD.BCST  32(SI), Z5, Z5
	VCMPPD       $0x11, Z4, Z3, K1      // below
	VMOVAPD      Z5, K1, Z2
	VMULPD.BCST  16(SI), Z2, Z2
	VADDPD       Z2, Z1, Z1
	ADDQ         $64, R8
	ADDQ         $64, R9
	ADDQ         $56, SI
	DECQ         CX
	JNE          row
	VMOVUPD      Z0, (DI)
	VMOVUPD      Z1, (DX)
	VZEROUPPER
	RET
