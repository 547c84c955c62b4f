#include "textflag.h"

// One order: 16 lanes of Z16, Z17 times a coefficient, or times 16 of them.
#define FOLD512(offset, low, high) \
	VBROADCASTSD offset(SI), Z18 \
	VFMADD231PD  Z16, Z18, low   \
	VFMADD231PD  Z17, Z18, high

#define MULTIPLY512(offset, low, high) \
	VFMADD231PD offset(SI), Z16, low      \
	VFMADD231PD (offset+64)(SI), Z17, high

#define BY512(low, high) \
	VMULPD Z20, low, low   \
	VMULPD Z21, high, high

#define FOLD256(offset, low, high) \
	VBROADCASTSD offset(SI), Y10 \
	VFMADD231PD  Y8, Y10, low    \
	VFMADD231PD  Y9, Y10, high

#define MULTIPLY256(offset, low, high) \
	VFMADD231PD offset(SI), Y8, low      \
	VFMADD231PD (offset+32)(SI), Y9, high

#define BY256(low, high) \
	VMULPD Y12, low, low   \
	VMULPD Y13, high, high

#define STORE512(offset, low, high) \
	VMOVUPD low, offset(DI)         \
	VMOVUPD high, (offset+64)(DI)

#define LOAD512(offset, low, high) \
	VMOVUPD offset(DI), low        \
	VMOVUPD (offset+64)(DI), high

#define STORE256(offset, low, high) \
	VMOVUPD low, offset(DI)         \
	VMOVUPD high, (offset+32)(DI)

#define LOAD256(offset, low, high) \
	VMOVUPD offset(DI), low        \
	VMOVUPD (offset+32)(DI), high

#define LOADALL512 \
	LOAD512(0, Z0, Z1)      \
	LOAD512(128, Z2, Z3)    \
	LOAD512(256, Z4, Z5)    \
	LOAD512(384, Z6, Z7)    \
	LOAD512(512, Z8, Z9)    \
	LOAD512(640, Z10, Z11)  \
	LOAD512(768, Z12, Z13)  \
	LOAD512(896, Z14, Z15)

#define STOREALL512 \
	STORE512(0, Z0, Z1)     \
	STORE512(128, Z2, Z3)   \
	STORE512(256, Z4, Z5)   \
	STORE512(384, Z6, Z7)   \
	STORE512(512, Z8, Z9)   \
	STORE512(640, Z10, Z11) \
	STORE512(768, Z12, Z13) \
	STORE512(896, Z14, Z15)

// func fold512(dst, q, by, factors *float64, count, rows int)
TEXT ·fold512(SB), NOSPLIT, $0-48
	MOVQ    dst+0(FP), DI
	MOVQ    q+8(FP), R8
	MOVQ    by+16(FP), R12
	MOVQ    factors+24(FP), R9
	MOVQ    count+32(FP), R10
	MOVQ    rows+40(FP), R11
	VMOVUPD (R12), Z20
	VMOVUPD 64(R12), Z21
	LOADALL512

panel:
	BY512(Z0, Z1)
	BY512(Z2, Z3)
	BY512(Z4, Z5)
	BY512(Z6, Z7)
	BY512(Z8, Z9)
	BY512(Z10, Z11)
	BY512(Z12, Z13)
	BY512(Z14, Z15)
	MOVQ R8, DX
	MOVQ R9, SI
	MOVQ R11, CX

order:
	VMOVUPD (DX), Z16
	VMOVUPD 64(DX), Z17
	FOLD512(0, Z0, Z1)
	FOLD512(8, Z2, Z3)
	FOLD512(16, Z4, Z5)
	FOLD512(24, Z6, Z7)
	FOLD512(32, Z8, Z9)
	FOLD512(40, Z10, Z11)
	FOLD512(48, Z12, Z13)
	FOLD512(56, Z14, Z15)
	ADDQ $128, DX
	SUBQ $8, SI
	DECQ CX
	JNZ  order
	SUBQ $2048, R8
	SUBQ $192, R9
	DECQ R10
	JNZ  panel
	STOREALL512
	VZEROUPPER
	RET

// func multiply512(dst, q, with *float64, count, rows int)
TEXT ·multiply512(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ q+8(FP), R8
	MOVQ with+16(FP), R9
	MOVQ count+24(FP), R10
	MOVQ rows+32(FP), R11
	LOADALL512

panel:
	MOVQ R8, DX
	MOVQ R9, SI
	MOVQ R11, CX

order:
	VMOVUPD (DX), Z16
	VMOVUPD 64(DX), Z17
	MULTIPLY512(0, Z0, Z1)
	MULTIPLY512(128, Z2, Z3)
	MULTIPLY512(256, Z4, Z5)
	MULTIPLY512(384, Z6, Z7)
	MULTIPLY512(512, Z8, Z9)
	MULTIPLY512(640, Z10, Z11)
	MULTIPLY512(768, Z12, Z13)
	MULTIPLY512(896, Z14, Z15)
	ADDQ $128, DX
	SUBQ $128, SI
	DECQ CX
	JNZ  order
	SUBQ $2048, R8
	SUBQ $3072, R9
	DECQ R10
	JNZ  panel
	STOREALL512
	VZEROUPPER
	RET

// func mix512(dst, a, x, b, y *float64)
TEXT ·mix512(SB), NOSPLIT, $0-40
	MOVQ    dst+0(FP), DI
	MOVQ    a+8(FP), SI
	MOVQ    x+16(FP), R8
	MOVQ    b+24(FP), DX
	MOVQ    y+32(FP), R9
	MOVQ    $16, CX
	VMOVUPD (R8), Z4
	VMOVUPD 64(R8), Z5
	VMOVUPD (R9), Z6
	VMOVUPD 64(R9), Z7

row:
	VMULPD      (DX), Z6, Z8
	VMULPD      64(DX), Z7, Z9
	VFMADD231PD (SI), Z4, Z8
	VFMADD231PD 64(SI), Z5, Z9
	VMOVUPD     Z8, (DI)
	VMOVUPD     Z9, 64(DI)
	ADDQ        $128, DI
	ADDQ        $128, SI
	ADDQ        $128, DX
	DECQ        CX
	JNZ         row
	VZEROUPPER
	RET

// func fold256(dst, q, by, factors *float64, count, rows int)
TEXT ·fold256(SB), NOSPLIT, $0-48
	MOVQ    dst+0(FP), DI
	MOVQ    q+8(FP), R8
	MOVQ    by+16(FP), R12
	MOVQ    factors+24(FP), R9
	MOVQ    count+32(FP), R10
	MOVQ    rows+40(FP), R11
	VMOVUPD (R12), Y12
	VMOVUPD 32(R12), Y13
	LOAD256(0, Y0, Y1)
	LOAD256(128, Y2, Y3)
	LOAD256(256, Y4, Y5)
	LOAD256(384, Y6, Y7)

panel:
	BY256(Y0, Y1)
	BY256(Y2, Y3)
	BY256(Y4, Y5)
	BY256(Y6, Y7)
	MOVQ R8, DX
	MOVQ R9, SI
	MOVQ R11, CX

order:
	VMOVUPD (DX), Y8
	VMOVUPD 32(DX), Y9
	FOLD256(0, Y0, Y1)
	FOLD256(8, Y2, Y3)
	FOLD256(16, Y4, Y5)
	FOLD256(24, Y6, Y7)
	ADDQ $128, DX
	SUBQ $8, SI
	DECQ CX
	JNZ  order
	SUBQ $2048, R8
	SUBQ $192, R9
	DECQ R10
	JNZ  panel
	STORE256(0, Y0, Y1)
	STORE256(128, Y2, Y3)
	STORE256(256, Y4, Y5)
	STORE256(384, Y6, Y7)
	VZEROUPPER
	RET

// func multiply256(dst, q, with *float64, count, rows int)
TEXT ·multiply256(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ q+8(FP), R8
	MOVQ with+16(FP), R9
	MOVQ count+24(FP), R10
	MOVQ rows+32(FP), R11
	LOAD256(0, Y0, Y1)
	LOAD256(128, Y2, Y3)
	LOAD256(256, Y4, Y5)
	LOAD256(384, Y6, Y7)

panel:
	MOVQ R8, DX
	MOVQ R9, SI
	MOVQ R11, CX

order:
	VMOVUPD (DX), Y8
	VMOVUPD 32(DX), Y9
	MULTIPLY256(0, Y0, Y1)
	MULTIPLY256(128, Y2, Y3)
	MULTIPLY256(256, Y4, Y5)
	MULTIPLY256(384, Y6, Y7)
	ADDQ $128, DX
	SUBQ $128, SI
	DECQ CX
	JNZ  order
	SUBQ $2048, R8
	SUBQ $3072, R9
	DECQ R10
	JNZ  panel
	STORE256(0, Y0, Y1)
	STORE256(128, Y2, Y3)
	STORE256(256, Y4, Y5)
	STORE256(384, Y6, Y7)
	VZEROUPPER
	RET

// func mix256(dst, a, x, b, y *float64)
TEXT ·mix256(SB), NOSPLIT, $0-40
	MOVQ    dst+0(FP), DI
	MOVQ    a+8(FP), SI
	MOVQ    x+16(FP), R8
	MOVQ    b+24(FP), DX
	MOVQ    y+32(FP), R9
	MOVQ    $16, CX
	VMOVUPD (R8), Y4
	VMOVUPD 32(R8), Y5
	VMOVUPD (R9), Y6
	VMOVUPD 32(R9), Y7

row:
	VMULPD      (DX), Y6, Y8
	VMULPD      32(DX), Y7, Y9
	VFMADD231PD (SI), Y4, Y8
	VFMADD231PD 32(SI), Y5, Y9
	VMOVUPD     Y8, (DI)
	VMOVUPD     Y9, 32(DI)
	ADDQ        $128, DI
	ADDQ        $128, SI
	ADDQ        $128, DX
	DECQ        CX
	JNZ         row
	VZEROUPPER
	RET
