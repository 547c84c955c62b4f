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
	VMULPD       (BX), Y4, Y5
	VMULPD       32(BX), Y4, Y6
	VMULPD       64(BX), Y4, Y7
	VMULPD       96(BX), Y4, Y8
	VADDPD       Y5, Y0, Y0
	VADDPD       Y6, Y1, Y1
	VADDPD       Y7, Y2, Y2
	VADDPD       Y8, Y3, Y3
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
	VMULPD       (BX), Z16, Z17
	VMULPD       64(BX), Z16, Z18
	VMULPD       128(BX), Z16, Z19
	VMULPD       192(BX), Z16, Z20
	VMULPD       256(BX), Z16, Z21
	VMULPD       320(BX), Z16, Z22
	VMULPD       384(BX), Z16, Z23
	VMULPD       448(BX), Z16, Z24
	VADDPD       Z17, Z0, Z0
	VADDPD       Z18, Z1, Z1
	VADDPD       Z19, Z2, Z2
	VADDPD       Z20, Z3, Z3
	VADDPD       Z21, Z4, Z4
	VADDPD       Z22, Z5, Z5
	VADDPD       Z23, Z6, Z6
	VADDPD       Z24, Z7, Z7
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
