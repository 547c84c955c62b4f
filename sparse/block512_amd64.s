#include "textflag.h"

// The kernels of block_amd64.s with registers of eight numbers: as there, DI is
// the row of dst, SI x, BX the row of own, R12 the stride in bytes, R8 offsets,
// R9 columns, R10 values, R11 rows left, R13 the columns of entries further on,
// whose rows of x are fetched ahead, CX the position, DX the end of the row. Z0-Z1 sums, Z4-Z5 products, Z8 the entry, Z13-Z15 the coefficients.

#define ARGUMENTS \
	MOVQ         dst+0(FP), DI      \
	MOVQ         x+8(FP), SI        \
	MOVQ         own+16(FP), BX     \
	MOVQ         stride+24(FP), R12 \
	MOVQ         offsets+32(FP), R8 \
	MOVQ         columns+40(FP), R9 \
	MOVQ         values+48(FP), R10 \
	MOVQ         rows+56(FP), R11   \
	SHLQ         $3, R12            \
	MOVQ         (R8), CX

// FETCH asks for the row of x of an entry further on.
#define FETCH \
	MOVLQSX    (R13)(CX*4), AX \
	IMULQ      R12, AX         \
	PREFETCHT0 (SI)(AX*1)

#define ENTRY \
	MOVLQSX      (R9)(CX*4), AX \
	IMULQ        R12, AX        \
	VBROADCASTSD (R10)(CX*8), Z8

#define NEXT(row) \
	ADDQ R12, DI \
	ADDQ R12, BX \
	ADDQ $8, R8  \
	DECQ R11     \
	JNZ  row     \
	VZEROUPPER   \
	RET

// func threeTerm512(dst, x, own *float64, stride int, offsets *int, columns *int32, values *float64, rows int, a, b, c float64)
TEXT ·threeTerm512(SB), NOSPLIT, $0-88
	ARGUMENTS
	VBROADCASTSD a+64(FP), Z13
	VBROADCASTSD b+72(FP), Z14
	VBROADCASTSD c+80(FP), Z15

row:
	MOVQ   8(R8), DX
	VPXORQ Z0, Z0, Z0
	VPXORQ Z1, Z1, Z1
	CMPQ   CX, DX
	JGE    combine

entry:
	ENTRY
	VMULPD (SI)(AX*1), Z8, Z4
	VMULPD 64(SI)(AX*1), Z8, Z5
	VADDPD Z4, Z0, Z0
	VADDPD Z5, Z1, Z1
	INCQ   CX
	CMPQ   CX, DX
	JLT    entry

combine:
	VMULPD  Z0, Z13, Z0
	VMULPD  Z1, Z13, Z1
	VMULPD  (BX), Z14, Z4
	VMULPD  64(BX), Z14, Z5
	VADDPD  Z4, Z0, Z0
	VADDPD  Z5, Z1, Z1
	VMULPD  (DI), Z15, Z4
	VMULPD  64(DI), Z15, Z5
	VADDPD  Z4, Z0, Z0
	VADDPD  Z5, Z1, Z1
	VMOVUPD Z0, (DI)
	VMOVUPD Z1, 64(DI)
	NEXT(row)

// func threeTerm512Few(dst, x, own *float64, stride int, offsets *int, columns *int32, values *float64, rows, ahead int, a, b, c float64, mask uint64)
TEXT ·threeTerm512Few(SB), NOSPLIT, $0-104
	ARGUMENTS
	MOVQ         ahead+64(FP), R13
	LEAQ         (R9)(R13*4), R13
	VBROADCASTSD a+72(FP), Z13
	VBROADCASTSD b+80(FP), Z14
	VBROADCASTSD c+88(FP), Z15
	MOVQ         mask+96(FP), AX
	KMOVW        AX, K1

row:
	MOVQ   8(R8), DX
	VPXORQ Z0, Z0, Z0
	CMPQ   CX, DX
	JGE    combine

entry:
	FETCH
	ENTRY
	VMULPD.Z (SI)(AX*1), Z8, K1, Z4
	VADDPD   Z4, Z0, Z0
	INCQ     CX
	CMPQ     CX, DX
	JLT      entry

combine:
	VMULPD    Z0, Z13, Z0
	VMULPD.Z  (BX), Z14, K1, Z4
	VADDPD    Z4, Z0, Z0
	VMULPD.Z  (DI), Z15, K1, Z4
	VADDPD    Z4, Z0, Z0
	VMOVUPD   Z0, K1, (DI)
	NEXT(row)
