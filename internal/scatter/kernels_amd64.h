// The vector kernels, for vectors V0 to V8 of all lanes or of half of them. ZERO clears a vector. Imaginary parts of a point come 64
// bytes after the real ones, and points of scratch 128 bytes apart. Arguments are those that kernels_amd64.go states.

// FIRST sets two sums to the product of the number at table and the point at SI, and goes on to the next.
#define FIRST(table, re, im)      \
	VBROADCASTSD (table), V4      \
	VMULPD       (SI), V4, re     \
	VMULPD       64(SI), V4, im   \
	ADDQ         $8, table        \
	ADDQ         $128, SI

// TERM adds one more product, and counts it.
#define TERM(table, re, im)       \
	VBROADCASTSD (table), V4      \
	VFMADD231PD  (SI), V4, re     \
	VFMADD231PD  64(SI), V4, im   \
	ADDQ         $8, table        \
	ADDQ         $128, SI         \
	DECQ         CX

// EVEN begins the sum of a row of cosines at R11 in V0 and V1; CX counts the terms that are left, at least one.
#define EVEN                      \
	MOVQ BX, SI                   \
	FIRST(R11, V0, V1)            \
	LEAQ -1(R10), CX

// AX and R14 point to the entries m and size-m of an array at DI, R15 is from its first to its last. R9 is how many such pairs there
// are; R10 is how many sums there are, at BX. Differences begin at R13.
TEXT DFT(SB), NOSPLIT, $0-64
	MOVQ  x+0(FP), DI
	MOVQ  stride+24(FP), DX
	MOVQ  size+32(FP), R10
	MOVQ  scratch+56(FP), BX
	LEAQ  -1(R10), R9
	MOVQ  R9, R15
	IMULQ DX, R15
	SHRQ  $1, R9
	SHRQ  $1, R10
	INCQ  R10
	MOVQ  R10, R13
	SHLQ  $7, R13
	ADDQ  BX, R13

array:
	MOVQ    cos+40(FP), R11
	MOVQ    sin+48(FP), R12
	VMOVUPD (DI), V0
	VMOVUPD 64(DI), V1
	VMOVUPD V0, (BX)
	VMOVUPD V1, 64(BX)
	LEAQ    (DI)(DX*1), AX
	LEAQ    (DI)(R15*1), R14
	LEAQ    128(BX), SI
	MOVQ    R13, R8
	MOVQ    R9, CX
	TESTQ   CX, CX
	JZ      folded

fold:
	VMOVUPD (AX), V0
	VMOVUPD 64(AX), V1
	VMOVUPD (R14), V2
	VMOVUPD 64(R14), V3
	VADDPD  V2, V0, V4
	VADDPD  V3, V1, V5
	VSUBPD  V2, V0, V0
	VSUBPD  V3, V1, V1
	VMOVUPD V4, (SI)
	VMOVUPD V5, 64(SI)
	VMOVUPD V0, (R8)
	VMOVUPD V1, 64(R8)
	ADDQ    DX, AX
	SUBQ    DX, R14
	ADDQ    $128, SI
	ADDQ    $128, R8
	DECQ    CX
	JNZ     fold

folded:
	LEAQ    1(R9), CX
	CMPQ    CX, R10
	JEQ     sums
	VMOVUPD (AX), V0      // the middle of an even number
	VMOVUPD 64(AX), V1
	VMOVUPD V0, (SI)
	VMOVUPD V1, 64(SI)

sums:
	EVEN

first:
	TERM(R11, V0, V1)
	JNZ     first
	VMOVUPD V0, (DI)
	VMOVUPD V1, 64(DI)
	LEAQ    (DI)(DX*1), AX
	LEAQ    (DI)(R15*1), R14
	MOVQ    R9, R8
	TESTQ   R8, R8
	JZ      paired

pair:
	EVEN

even:
	TERM(R11, V0, V1)
	JNZ   even
	MOVQ  R13, SI
	FIRST(R12, V2, V3)
	LEAQ  -1(R9), CX
	TESTQ CX, CX
	JZ    both

odd:
	TERM(R12, V2, V3)
	JNZ odd

both:
	VADDPD  V3, V0, V4
	VSUBPD  V3, V0, V5
	VSUBPD  V2, V1, V6
	VADDPD  V2, V1, V7
	VMOVUPD V4, (AX)
	VMOVUPD V6, 64(AX)
	VMOVUPD V5, (R14)
	VMOVUPD V7, 64(R14)
	ADDQ    DX, AX
	SUBQ    DX, R14
	DECQ    R8
	JNZ     pair

paired:
	LEAQ 1(R9), CX
	CMPQ CX, R10
	JEQ  next
	EVEN

middle:
	TERM(R11, V0, V1)
	JNZ     middle
	VMOVUPD V0, (AX)
	VMOVUPD V1, 64(AX)

next:
	ADDQ step+16(FP), DI
	DECQ count+8(FP)
	JNZ  array
	VZEROUPPER
	RET

TEXT SCALE(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ factors+16(FP), R11
	MOVQ count+24(FP), CX

scaled:
	FIRST(R11, V0, V1)
	VMOVUPD V0, (DI)
	VMOVUPD V1, 64(DI)
	ADDQ    $128, DI
	DECQ    CX
	JNZ     scaled
	VZEROUPPER
	RET

TEXT MODULI(SB), NOSPLIT, $0-24
	MOVQ x+0(FP), DI
	MOVQ count+8(FP), CX
	MOVQ stride+16(FP), DX
	ZERO(V2)

modulus:
	VMOVUPD     (DI), V0
	VMOVUPD     64(DI), V1
	VMULPD      V0, V0, V0
	VFMADD231PD V1, V1, V0
	VSQRTPD     V0, V0
	VMOVUPD     V0, (DI)
	VMOVUPD     V2, 64(DI)
	ADDQ        DX, DI
	DECQ        CX
	JNZ         modulus
	VZEROUPPER
	RET

// WEIGHTS fetches four weights and the numbers that they are for.
#define WEIGHTS                   \
	VMOVUPD      (SI), V4         \
	VBROADCASTSD (R8), V5         \
	VBROADCASTSD 8(R8), V6        \
	VBROADCASTSD 16(R8), V7       \
	VBROADCASTSD 24(R8), V8       \
	ADDQ         $32, R8          \
	ADDQ         DX, SI

TEXT MIX(SB), NOSPLIT, $0-56
	MOVQ dst+0(FP), DI
	MOVQ apart+8(FP), R9
	MOVQ stride+24(FP), DX
	MOVQ weights+40(FP), R8

block:
	MOVQ   src+16(FP), SI
	MOVQ   depth+32(FP), CX
	WEIGHTS
	VMULPD V5, V4, V0
	VMULPD V6, V4, V1
	VMULPD V7, V4, V2
	VMULPD V8, V4, V3
	DECQ   CX
	JZ     mixed

term:
	WEIGHTS
	VFMADD231PD V5, V4, V0
	VFMADD231PD V6, V4, V1
	VFMADD231PD V7, V4, V2
	VFMADD231PD V8, V4, V3
	DECQ        CX
	JNZ         term

mixed:
	VMOVUPD V0, (DI)
	ADDQ    R9, DI
	VMOVUPD V1, (DI)
	ADDQ    R9, DI
	VMOVUPD V2, (DI)
	ADDQ    R9, DI
	VMOVUPD V3, (DI)
	ADDQ    R9, DI
	DECQ    blocks+48(FP)
	JNZ     block
	VZEROUPPER
	RET
