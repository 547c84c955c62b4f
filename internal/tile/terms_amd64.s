#include "textflag.h"

// func terms256(dst, x, weights *float64, offsets *int, terms, blocks int)
TEXT ·terms256(SB), NOSPLIT, $0-48
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ weights+16(FP), R8
	MOVQ offsets+24(FP), R9
	MOVQ terms+32(FP), R10
	MOVQ blocks+40(FP), R11

block:
	VMOVUPD (DI), Y0
	VMOVUPD 32(DI), Y1
	VMOVUPD 64(DI), Y2
	VMOVUPD 96(DI), Y3
	XORQ    CX, CX

term:
	VBROADCASTSD (R8)(CX*8), Y4
	MOVQ         (R9)(CX*8), AX
	LEAQ         (SI)(AX*8), BX
	VFMADD231PD  (BX), Y4, Y0
	VFMADD231PD  32(BX), Y4, Y1
	VFMADD231PD  64(BX), Y4, Y2
	VFMADD231PD  96(BX), Y4, Y3
	INCQ         CX
	CMPQ         CX, R10
	JLT          term

	VMOVUPD Y0, (DI)
	VMOVUPD Y1, 32(DI)
	VMOVUPD Y2, 64(DI)
	VMOVUPD Y3, 96(DI)
	ADDQ    $128, DI
	ADDQ    $128, SI
	DECQ    R11
	JNZ     block
	VZEROUPPER
	RET

// func terms512(dst, x, weights *float64, offsets *int, terms, blocks int)
TEXT ·terms512(SB), NOSPLIT, $0-48
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ weights+16(FP), R8
	MOVQ offsets+24(FP), R9
	MOVQ terms+32(FP), R10
	MOVQ blocks+40(FP), R11

block:
	VMOVUPD (DI), Z0
	VMOVUPD 64(DI), Z1
	VMOVUPD 128(DI), Z2
	VMOVUPD 192(DI), Z3
	VMOVUPD 256(DI), Z4
	VMOVUPD 320(DI), Z5
	VMOVUPD 384(DI), Z6
	VMOVUPD 448(DI), Z7
	XORQ    CX, CX

term:
	VBROADCASTSD (R8)(CX*8), Z16
	MOVQ         (R9)(CX*8), AX
	LEAQ         (SI)(AX*8), BX
	VFMADD231PD  (BX), Z16, Z0
	VFMADD231PD  64(BX), Z16, Z1
	VFMADD231PD  128(BX), Z16, Z2
	VFMADD231PD  192(BX), Z16, Z3
	VFMADD231PD  256(BX), Z16, Z4
	VFMADD231PD  320(BX), Z16, Z5
	VFMADD231PD  384(BX), Z16, Z6
	VFMADD231PD  448(BX), Z16, Z7
	INCQ         CX
	CMPQ         CX, R10
	JLT          term

	VMOVUPD Z0, (DI)
	VMOVUPD Z1, 64(DI)
	VMOVUPD Z2, 128(DI)
	VMOVUPD Z3, 192(DI)
	VMOVUPD Z4, 256(DI)
	VMOVUPD Z5, 320(DI)
	VMOVUPD Z6, 384(DI)
	VMOVUPD Z7, 448(DI)
	ADDQ    $512, DI
	ADDQ    $512, SI
	DECQ    R11
	JNZ     block
	VZEROUPPER
	RET
