#include "textflag.h"

// func threeTermVector(dst, x, own *float64, stride int, offsets *int, columns *int32, values *float64, rows int, a, b, c float64)
//
// DI row of dst, SI x, BX row of own, R12 stride in bytes, R8 offsets,
// R9 columns, R10 values, R11 rows left, CX position, DX end of the row.
// Y0-Y3 sums, Y4-Y7 products, Y8 the entry, Y13-Y15 the coefficients.
TEXT ·threeTermVector(SB), NOSPLIT, $0-88
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ own+16(FP), BX
	MOVQ stride+24(FP), R12
	MOVQ offsets+32(FP), R8
	MOVQ columns+40(FP), R9
	MOVQ values+48(FP), R10
	MOVQ rows+56(FP), R11
	VBROADCASTSD a+64(FP), Y13
	VBROADCASTSD b+72(FP), Y14
	VBROADCASTSD c+80(FP), Y15
	SHLQ $3, R12
	MOVQ (R8), CX

row:
	MOVQ   8(R8), DX
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	VXORPD Y2, Y2, Y2
	VXORPD Y3, Y3, Y3
	CMPQ   CX, DX
	JGE    combine

entry:
	MOVLQSX      (R9)(CX*4), AX
	IMULQ        R12, AX
	VBROADCASTSD (R10)(CX*8), Y8
	VMULPD       (SI)(AX*1), Y8, Y4
	VMULPD       32(SI)(AX*1), Y8, Y5
	VMULPD       64(SI)(AX*1), Y8, Y6
	VMULPD       96(SI)(AX*1), Y8, Y7
	VADDPD       Y4, Y0, Y0
	VADDPD       Y5, Y1, Y1
	VADDPD       Y6, Y2, Y2
	VADDPD       Y7, Y3, Y3
	INCQ         CX
	CMPQ         CX, DX
	JLT          entry

combine:
	VMULPD  Y0, Y13, Y0
	VMULPD  Y1, Y13, Y1
	VMULPD  Y2, Y13, Y2
	VMULPD  Y3, Y13, Y3
	VMULPD  (BX), Y14, Y4
	VMULPD  32(BX), Y14, Y5
	VMULPD  64(BX), Y14, Y6
	VMULPD  96(BX), Y14, Y7
	VADDPD  Y4, Y0, Y0
	VADDPD  Y5, Y1, Y1
	VADDPD  Y6, Y2, Y2
	VADDPD  Y7, Y3, Y3
	VMULPD  (DI), Y15, Y4
	VMULPD  32(DI), Y15, Y5
	VMULPD  64(DI), Y15, Y6
	VMULPD  96(DI), Y15, Y7
	VADDPD  Y4, Y0, Y0
	VADDPD  Y5, Y1, Y1
	VADDPD  Y6, Y2, Y2
	VADDPD  Y7, Y3, Y3
	VMOVUPD Y0, (DI)
	VMOVUPD Y1, 32(DI)
	VMOVUPD Y2, 64(DI)
	VMOVUPD Y3, 96(DI)
	ADDQ    R12, DI
	ADDQ    R12, BX
	ADDQ    $8, R8
	DECQ    R11
	JNZ     row
	VZEROUPPER
	RET

// func threeTermVector8(dst, x, own *float64, stride int, offsets *int, columns *int32, values *float64, rows, ahead int, a, b, c float64)
//
// As threeTermVector, with Y0-Y1 sums and Y4-Y5 products; R13 columns of entries
// further on, whose rows of x are fetched ahead.
TEXT ·threeTermVector8(SB), NOSPLIT, $0-96
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ own+16(FP), BX
	MOVQ stride+24(FP), R12
	MOVQ offsets+32(FP), R8
	MOVQ columns+40(FP), R9
	MOVQ values+48(FP), R10
	MOVQ rows+56(FP), R11
	MOVQ ahead+64(FP), R13
	LEAQ (R9)(R13*4), R13
	VBROADCASTSD a+72(FP), Y13
	VBROADCASTSD b+80(FP), Y14
	VBROADCASTSD c+88(FP), Y15
	SHLQ $3, R12
	MOVQ (R8), CX

row8:
	MOVQ   8(R8), DX
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	CMPQ   CX, DX
	JGE    combine8

entry8:
	MOVLQSX      (R13)(CX*4), AX
	IMULQ        R12, AX
	PREFETCHT0   (SI)(AX*1)
	MOVLQSX      (R9)(CX*4), AX
	IMULQ        R12, AX
	VBROADCASTSD (R10)(CX*8), Y8
	VMULPD       (SI)(AX*1), Y8, Y4
	VMULPD       32(SI)(AX*1), Y8, Y5
	VADDPD       Y4, Y0, Y0
	VADDPD       Y5, Y1, Y1
	INCQ         CX
	CMPQ         CX, DX
	JLT          entry8

combine8:
	VMULPD  Y0, Y13, Y0
	VMULPD  Y1, Y13, Y1
	VMULPD  (BX), Y14, Y4
	VMULPD  32(BX), Y14, Y5
	VADDPD  Y4, Y0, Y0
	VADDPD  Y5, Y1, Y1
	VMULPD  (DI), Y15, Y4
	VMULPD  32(DI), Y15, Y5
	VADDPD  Y4, Y0, Y0
	VADDPD  Y5, Y1, Y1
	VMOVUPD Y0, (DI)
	VMOVUPD Y1, 32(DI)
	ADDQ    R12, DI
	ADDQ    R12, BX
	ADDQ    $8, R8
	DECQ    R11
	JNZ     row8
	VZEROUPPER
	RET
