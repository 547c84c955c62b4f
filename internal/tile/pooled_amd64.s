#include "textflag.h"

// Eight sums of a row of cells: those of the eight maps with weights in Z16, times the number at (base) and the next seven steps.
#define SUMS(base, a, b, c, d, e, f, g, h)      \
	VFMADD231PD.BCST (base), Z16, a         \
	VFMADD231PD.BCST (base)(BX*1), Z16, b   \
	VFMADD231PD.BCST (base)(BX*2), Z16, c   \
	VFMADD231PD.BCST (base)(R11*1), Z16, d  \
	VFMADD231PD.BCST (base)(BX*4), Z16, e   \
	VFMADD231PD.BCST (base)(R12*1), Z16, f  \
	VFMADD231PD.BCST (base)(R11*2), Z16, g  \
	VFMADD231PD.BCST (base)(R13*1), Z16, h

// A cell: the largest of four sums, if it is above 0.
#define CELL(best, b, c, d, at)             \
	VMOVDQA64 Z17, Z22                  \
	VCMPPD    $0x1e, best, b, K1        \
	VMOVAPD   b, K1, best               \
	VMOVDQA64 Z18, K1, Z22              \
	VCMPPD    $0x1e, best, c, K1        \
	VMOVAPD   c, K1, best               \
	VMOVDQA64 Z19, K1, Z22              \
	VCMPPD    $0x1e, best, d, K1        \
	VMOVAPD   d, K1, best               \
	VMOVDQA64 Z20, K1, Z22              \
	VCMPPD    $0x1e, Z17, best, K1      \
	VMULPD    Z17, best, Z23            \
	VMOVAPD   best, K1, Z23             \
	VMOVDQA64 Z21, Z24                  \
	VMOVDQA64 Z22, K1, Z24              \
	VMOVUPD   Z23, (at*64)(DI)          \
	VPMOVQB   Z24, (at*8)(R14)

// func pool512(of *float64, which *uint8, x *float64, lower, step int, begin, weights *float64, offsets *int, terms int)
TEXT ·pool512(SB), NOSPLIT, $0-72
	MOVQ of+0(FP), DI
	MOVQ which+8(FP), R14
	MOVQ x+16(FP), SI
	MOVQ lower+24(FP), DX
	MOVQ step+32(FP), BX
	MOVQ begin+40(FP), AX
	MOVQ weights+48(FP), R8
	MOVQ offsets+56(FP), R9
	MOVQ terms+64(FP), R10
	SHLQ $3, BX
	LEAQ (SI)(DX*8), DX
	LEAQ (BX)(BX*2), R11
	LEAQ (BX)(BX*4), R12
	LEAQ (R11)(BX*4), R13
	VMOVUPD (AX), Z0
	VMOVAPD Z0, Z1
	VMOVAPD Z0, Z2
	VMOVAPD Z0, Z3
	VMOVAPD Z0, Z4
	VMOVAPD Z0, Z5
	VMOVAPD Z0, Z6
	VMOVAPD Z0, Z7
	VMOVAPD Z0, Z8
	VMOVAPD Z0, Z9
	VMOVAPD Z0, Z10
	VMOVAPD Z0, Z11
	VMOVAPD Z0, Z12
	VMOVAPD Z0, Z13
	VMOVAPD Z0, Z14
	VMOVAPD Z0, Z15

term:
	MOVQ    (R9), AX
	VMOVUPD (R8), Z16
	LEAQ    (SI)(AX*8), CX
	LEAQ    (DX)(AX*8), AX
	SUMS(CX, Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z7)
	SUMS(AX, Z8, Z9, Z10, Z11, Z12, Z13, Z14, Z15)
	ADDQ    $8, R9
	ADDQ    $64, R8
	DECQ    R10
	JNZ     term

	VPXORQ       Z17, Z17, Z17
	MOVQ         $1, AX
	VPBROADCASTQ AX, Z18
	INCQ         AX
	VPBROADCASTQ AX, Z19
	INCQ         AX
	VPBROADCASTQ AX, Z20
	INCQ         AX
	VPBROADCASTQ AX, Z21
	CELL(Z0, Z1, Z8, Z9, 0)
	CELL(Z2, Z3, Z10, Z11, 1)
	CELL(Z4, Z5, Z12, Z13, 2)
	CELL(Z6, Z7, Z14, Z15, 3)
	VZEROUPPER
	RET
