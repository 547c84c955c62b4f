#include "textflag.h"

// func dotRowsVector(dst, rows *float64, count, width int, y *float64, plus float64)
//
// R8-R11 the rows, of which the last one is repeated where there are fewer than four, R13 their
// distance in bytes, CX rows left, BX y, AX position in bytes, R12 fours of columns, SI columns beyond.
// Y0-Y3 the four parts of each sum: columns beyond the last four go to the first part.
TEXT ·dotRowsVector(SB), NOSPLIT, $0-48
	MOVQ dst+0(FP), DI
	MOVQ rows+8(FP), R8
	MOVQ count+16(FP), CX
	MOVQ width+24(FP), R13
	MOVQ y+32(FP), BX
	VBROADCASTSD plus+40(FP), Y13
	MOVQ R13, R12
	SHRQ $2, R12
	MOVQ R13, SI
	ANDQ $3, SI
	SHLQ $3, R13

group:
	LEAQ    (R8)(R13*1), R9
	CMPQ    CX, $2
	CMOVQLT R8, R9
	LEAQ    (R9)(R13*1), R10
	CMPQ    CX, $3
	CMOVQLT R9, R10
	LEAQ    (R10)(R13*1), R11
	CMPQ    CX, $4
	CMOVQLT R10, R11
	VXORPD  Y0, Y0, Y0
	VXORPD  Y1, Y1, Y1
	VXORPD  Y2, Y2, Y2
	VXORPD  Y3, Y3, Y3
	XORQ    AX, AX
	MOVQ    R12, DX
	TESTQ   DX, DX
	JEQ     beyond

four:
	VMOVUPD (BX)(AX*1), Y8
	VMULPD  (R8)(AX*1), Y8, Y4
	VMULPD  (R9)(AX*1), Y8, Y5
	VMULPD  (R10)(AX*1), Y8, Y6
	VMULPD  (R11)(AX*1), Y8, Y7
	VADDPD  Y4, Y0, Y0
	VADDPD  Y5, Y1, Y1
	VADDPD  Y6, Y2, Y2
	VADDPD  Y7, Y3, Y3
	ADDQ    $32, AX
	DECQ    DX
	JNE     four

beyond:
	MOVQ  SI, DX
	TESTQ DX, DX
	JEQ   combine

one:
	VMOVSD (BX)(AX*1), X8
	VMULSD (R8)(AX*1), X8, X4
	VMULSD (R9)(AX*1), X8, X5
	VMULSD (R10)(AX*1), X8, X6
	VMULSD (R11)(AX*1), X8, X7
	VADDPD Y4, Y0, Y0
	VADDPD Y5, Y1, Y1
	VADDPD Y6, Y2, Y2
	VADDPD Y7, Y3, Y3
	ADDQ   $8, AX
	DECQ   DX
	JNE    one

combine:
	VHADDPD    Y1, Y0, Y0
	VHADDPD    Y3, Y2, Y2
	VPERM2F128 $0x20, Y2, Y0, Y4
	VPERM2F128 $0x31, Y2, Y0, Y5
	VADDPD     Y5, Y4, Y4
	VADDPD     Y13, Y4, Y4
	VMOVUPD    Y4, (DI)
	ADDQ       $32, DI
	LEAQ       (R11)(R13*1), R8
	SUBQ       $4, CX
	JGT        group
	VZEROUPPER
	RET

// func axpyRowsVector(dst, a, rows *float64, count, width int)
//
// DI dst, R8 the rows at the first column of the block, R13 their distance in bytes, R9 a, R10 how many
// rows, R12 columns left; SI row, CX which one. Y0-Y3 entries of dst.
TEXT ·axpyRowsVector(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ a+8(FP), R9
	MOVQ rows+16(FP), R8
	MOVQ count+24(FP), R10
	MOVQ width+32(FP), R12
	MOVQ R12, R13
	SHLQ $3, R13

sixteen:
	CMPQ    R12, $16
	JLT     eight
	VMOVUPD (DI), Y0
	VMOVUPD 32(DI), Y1
	VMOVUPD 64(DI), Y2
	VMOVUPD 96(DI), Y3
	MOVQ    R8, SI
	XORQ    CX, CX

sixteenRow:
	VBROADCASTSD (R9)(CX*8), Y8
	VMULPD       (SI), Y8, Y4
	VMULPD       32(SI), Y8, Y5
	VMULPD       64(SI), Y8, Y6
	VMULPD       96(SI), Y8, Y7
	VADDPD       Y4, Y0, Y0
	VADDPD       Y5, Y1, Y1
	VADDPD       Y6, Y2, Y2
	VADDPD       Y7, Y3, Y3
	ADDQ         R13, SI
	INCQ         CX
	CMPQ         CX, R10
	JLT          sixteenRow
	VMOVUPD      Y0, (DI)
	VMOVUPD      Y1, 32(DI)
	VMOVUPD      Y2, 64(DI)
	VMOVUPD      Y3, 96(DI)
	ADDQ         $128, DI
	ADDQ         $128, R8
	SUBQ         $16, R12
	JMP          sixteen

eight:
	CMPQ    R12, $8
	JLT     four
	VMOVUPD (DI), Y0
	VMOVUPD 32(DI), Y1
	MOVQ    R8, SI
	XORQ    CX, CX

eightRow:
	VBROADCASTSD (R9)(CX*8), Y8
	VMULPD       (SI), Y8, Y4
	VMULPD       32(SI), Y8, Y5
	VADDPD       Y4, Y0, Y0
	VADDPD       Y5, Y1, Y1
	ADDQ         R13, SI
	INCQ         CX
	CMPQ         CX, R10
	JLT          eightRow
	VMOVUPD      Y0, (DI)
	VMOVUPD      Y1, 32(DI)
	ADDQ         $64, DI
	ADDQ         $64, R8
	SUBQ         $8, R12

four:
	CMPQ    R12, $4
	JLT     one
	VMOVUPD (DI), Y0
	MOVQ    R8, SI
	XORQ    CX, CX

fourRow:
	VBROADCASTSD (R9)(CX*8), Y8
	VMULPD       (SI), Y8, Y4
	VADDPD       Y4, Y0, Y0
	ADDQ         R13, SI
	INCQ         CX
	CMPQ         CX, R10
	JLT          fourRow
	VMOVUPD      Y0, (DI)
	ADDQ         $32, DI
	ADDQ         $32, R8
	SUBQ         $4, R12

one:
	TESTQ  R12, R12
	JEQ    end
	VMOVSD (DI), X0
	MOVQ   R8, SI
	XORQ   CX, CX

oneRow:
	VMOVSD (R9)(CX*8), X8
	VMULSD (SI), X8, X4
	VADDSD X4, X0, X0
	ADDQ   R13, SI
	INCQ   CX
	CMPQ   CX, R10
	JLT    oneRow
	VMOVSD X0, (DI)
	ADDQ   $8, DI
	ADDQ   $8, R8
	DECQ   R12
	JMP    one

end:
	VZEROUPPER
	RET

DATA first<>+0(SB)/8, $-1
DATA first<>+8(SB)/8, $-1
DATA first<>+16(SB)/8, $-1
DATA first<>+24(SB)/8, $-1
DATA first<>+32(SB)/8, $0
DATA first<>+40(SB)/8, $0
DATA first<>+48(SB)/8, $0
DATA first<>+56(SB)/8, $0
GLOBL first<>(SB), RODATA|NOPTR, $64

DATA far<>+0(SB)/8, $0x4790000000000000 // 2^122, which takes norms above 2^902 out of range
GLOBL far<>(SB), RODATA|NOPTR, $8

// func shortenVector(a, norms *float64, n int, longest float64) bool
//
// Y0 longest, Y1 all bits but the sign, Y2 a sum of zeros unless a number is none, Y3 numbers, Y4 norms, Y7
// zero, Y9 which of the last four there are, Y10 by how much the farthest norm is below the largest number.
TEXT ·shortenVector(SB), NOSPLIT, $0-33
	MOVQ         a+0(FP), DI
	MOVQ         norms+8(FP), SI
	MOVQ         n+16(FP), CX
	VBROADCASTSD longest+24(FP), Y0
	VPCMPEQD     Y1, Y1, Y1
	VPSRLQ       $1, Y1, Y1
	VXORPD       Y2, Y2, Y2
	VXORPD       Y7, Y7, Y7
	VBROADCASTSD far<>(SB), Y10

four:
	CMPQ       CX, $4
	JGE        whole
	TESTQ      CX, CX
	JLE        end
	LEAQ       first<>+32(SB), DX
	NEGQ       CX
	VMOVUPD    (DX)(CX*8), Y9
	NEGQ       CX
	VMASKMOVPD (DI), Y9, Y3
	VMASKMOVPD (SI), Y9, Y4
	JMP        compute

whole:
	VMOVUPD (DI), Y3
	VMOVUPD (SI), Y4

compute:
	VMULPD    Y7, Y3, Y5
	VMULPD    Y10, Y4, Y6
	VMULPD    Y7, Y6, Y6
	VADDPD    Y5, Y2, Y2
	VADDPD    Y6, Y2, Y2
	VANDPD    Y3, Y1, Y5
	VMULPD    Y4, Y5, Y5
	VCMPPD    $0x1E, Y0, Y5, Y5          // longer
	VDIVPD    Y4, Y0, Y6
	VANDPD    Y6, Y1, Y6
	VANDNPD   Y3, Y1, Y8
	VORPD     Y8, Y6, Y6
	VBLENDVPD Y5, Y6, Y3, Y3
	CMPQ      CX, $4
	JLT       part
	VMOVUPD   Y3, (DI)
	ADDQ      $32, DI
	ADDQ      $32, SI
	SUBQ      $4, CX
	JMP       four

part:
	VMASKMOVPD Y3, Y9, (DI)

end:
	VCMPPD    $0, Y7, Y2, Y2
	VMOVMSKPD Y2, AX
	CMPL      AX, $15
	SETEQ     ret+32(FP)
	VZEROUPPER
	RET

// func prefetch(x unsafe.Pointer, bytes int)
TEXT ·prefetch(SB), NOSPLIT, $0-16
	MOVQ x+0(FP), SI
	MOVQ bytes+8(FP), CX
	LEAQ -1(SI)(CX*1), CX

line:
	PREFETCHT0 (SI)
	ADDQ       $64, SI
	CMPQ       SI, CX
	JLS        line
	PREFETCHT0 (CX)
	RET
