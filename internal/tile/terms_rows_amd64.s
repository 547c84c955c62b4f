#include "textflag.h"

// One row of a term: 8 numbers at offset AX from a row of x, times the weight in Z16. Rows beyond the
// last are row 0 again, and not stored.
#define TERM(row, sum) VFMADD231PD (row)(AX*8), Z16, K1, sum

#define NEXTTERM                      \
	VBROADCASTSD (R8)(CX*8), Z16 \
	MOVQ         (R9)(CX*8), AX

// func termRows512(dst, x, weights *float64, offsets *int, terms, stride, from, rows, width int)
TEXT ·termRows512(SB), NOSPLIT, $0-72
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ weights+16(FP), R8
	MOVQ offsets+24(FP), R9
	MOVQ terms+32(FP), R10
	MOVQ stride+40(FP), DX
	MOVQ from+48(FP), AX
	MOVQ rows+56(FP), R14
	MOVQ width+64(FP), R15
	SHLQ $3, DX
	SHLQ $3, AX
	MOVQ SI, BX
	MOVQ SI, R11
	MOVQ SI, R12
	MOVQ SI, R13
	CMPQ R14, $2
	JLT  columns
	LEAQ (SI)(AX*1), BX
	JEQ  columns
	LEAQ (BX)(AX*1), R11
	CMPQ R14, $4
	JLT  columns
	LEAQ (R11)(AX*1), R12
	JEQ  columns
	LEAQ (R12)(AX*1), R13

columns:
	// The mask of these 8 columns, or of as many as there are left.
	MOVQ  $8, CX
	CMPQ  R15, CX
	CMOVQLT R15, CX
	MOVQ  $1, AX
	SHLQ  CX, AX
	DECQ  AX
	KMOVW AX, K1

	VPXORQ Z1, Z1, Z1
	VPXORQ Z2, Z2, Z2
	VPXORQ Z3, Z3, Z3
	VPXORQ Z4, Z4, Z4
	MOVQ   DI, AX
	VMOVUPD.Z (AX), K1, Z0
	CMPQ   R14, $2
	JLT    sums
	ADDQ   DX, AX
	VMOVUPD.Z (AX), K1, Z1
	CMPQ   R14, $3
	JLT    sums
	ADDQ   DX, AX
	VMOVUPD.Z (AX), K1, Z2
	CMPQ   R14, $4
	JLT    sums
	ADDQ   DX, AX
	VMOVUPD.Z (AX), K1, Z3
	CMPQ   R14, $5
	JLT    sums
	ADDQ   DX, AX
	VMOVUPD.Z (AX), K1, Z4

sums:
	XORQ CX, CX
	CMPQ R14, $3
	JLE  three

five:
	NEXTTERM
	TERM(SI, Z0)
	TERM(BX, Z1)
	TERM(R11, Z2)
	TERM(R12, Z3)
	TERM(R13, Z4)
	INCQ CX
	CMPQ CX, R10
	JLT  five
	JMP  store

three:
	NEXTTERM
	TERM(SI, Z0)
	TERM(BX, Z1)
	TERM(R11, Z2)
	INCQ CX
	CMPQ CX, R10
	JLT  three

store:
	MOVQ    DI, AX
	VMOVUPD Z0, K1, (AX)
	CMPQ    R14, $2
	JLT     next
	ADDQ    DX, AX
	VMOVUPD Z1, K1, (AX)
	CMPQ    R14, $3
	JLT     next
	ADDQ    DX, AX
	VMOVUPD Z2, K1, (AX)
	CMPQ    R14, $4
	JLT     next
	ADDQ    DX, AX
	VMOVUPD Z3, K1, (AX)
	CMPQ    R14, $5
	JLT     next
	ADDQ    DX, AX
	VMOVUPD Z4, K1, (AX)

next:
	ADDQ $64, DI
	ADDQ $64, SI
	ADDQ $64, BX
	ADDQ $64, R11
	ADDQ $64, R12
	ADDQ $64, R13
	SUBQ $8, R15
	JGT  columns
	VZEROUPPER
	RET
