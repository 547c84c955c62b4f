#include "textflag.h"

// func softplus512(dst, x *float64, groups int, constants, roots, logs *float64) (done int)
TEXT ·softplus512(SB), NOSPLIT, $0-56
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ groups+16(FP), CX
	MOVQ constants+24(FP), R8
	MOVQ roots+32(FP), R9
	MOVQ logs+40(FP), R10
	XORQ AX, AX

group:
	CMPQ         AX, CX
	JGE          end
	VMOVUPD      (SI), Z0
	VPANDQ.BCST  0(R8), Z0, Z1          // size
	VCMPPD.BCST  $0x16, 8(R8), Z1, K1   // beyond 708, or no number: left to the caller
	KORTESTW     K1, K1
	JNE          end

	// e = Exp(-size)
	VPXORQ.BCST  16(R8), Z1, Z2
	VMULPD.BCST  24(R8), Z2, Z3
	VADDPD.BCST  32(R8), Z3, Z3         // shifted
	VSUBPD.BCST  32(R8), Z3, Z4         // n
	VMULPD.BCST  40(R8), Z4, Z5
	VSUBPD       Z5, Z2, Z5
	VMULPD.BCST  48(R8), Z4, Z6
	VSUBPD       Z6, Z5, Z5             // r
	VMULPD       Z5, Z5, Z6             // square
	VMULPD.BCST  56(R8), Z5, Z7
	VADDPD.BCST  64(R8), Z7, Z7
	VMULPD.BCST  72(R8), Z6, Z8
	VADDPD       Z8, Z7, Z7
	VMULPD       Z6, Z7, Z7
	VMULPD.BCST  80(R8), Z5, Z8
	VADDPD.BCST  88(R8), Z8, Z8
	VADDPD       Z7, Z8, Z7
	VMULPD       Z6, Z7, Z7
	VADDPD       Z7, Z5, Z7             // series
	VPSUBQ.BCST  32(R8), Z3, Z9         // n as an integer
	VPANDQ.BCST  96(R8), Z9, Z10
	KXNORW       K2, K2, K2
	VGATHERQPD   (R9)(Z10*8), K2, Z11   // root
	VMULPD       Z7, Z11, Z12
	VADDPD       Z12, Z11, Z12
	VPANDQ.BCST  104(R8), Z9, Z9
	VPSLLQ       $47, Z9, Z9
	VPADDQ       Z9, Z12, Z2            // e

	// log(1 + e)
	VADDPD.BCST  112(R8), Z2, Z3        // shifted
	VSUBPD.BCST  112(R8), Z3, Z4        // nearest
	VSUBPD       Z4, Z2, Z5
	VADDPD.BCST  120(R8), Z4, Z6
	VDIVPD       Z6, Z5, Z5             // r
	VMULPD       Z5, Z5, Z6             // square
	VMULPD.BCST  128(R8), Z5, Z7
	VADDPD.BCST  136(R8), Z7, Z7
	VMULPD       Z6, Z7, Z7
	VMULPD.BCST  144(R8), Z5, Z8
	VADDPD.BCST  152(R8), Z8, Z8
	VMULPD       Z6, Z6, Z9
	VMULPD       Z9, Z8, Z8
	VADDPD       Z8, Z7, Z7             // low
	VMULPD.BCST  160(R8), Z5, Z8
	VADDPD.BCST  168(R8), Z8, Z8
	VMULPD.BCST  176(R8), Z5, Z10
	VADDPD.BCST  184(R8), Z10, Z10
	VMULPD       Z6, Z10, Z10
	VADDPD       Z10, Z8, Z8            // high
	VMULPD       Z6, Z9, Z9
	VMULPD       Z8, Z9, Z9
	VADDPD       Z9, Z7, Z7
	VADDPD       Z7, Z5, Z7
	VPANDQ.BCST  192(R8), Z3, Z10
	KXNORW       K2, K2, K2
	VGATHERQPD   (R10)(Z10*8), K2, Z11
	VADDPD       Z7, Z11, Z7            // y
	VADDPD       Z1, Z0, Z0
	VMULPD.BCST  88(R8), Z0, Z0         // x or 0
	VADDPD       Z7, Z0, Z0
	VMOVUPD      Z0, (DI)
	ADDQ         $64, SI
	ADDQ         $64, DI
	INCQ         AX
	JMP          group

end:
	VZEROUPPER
	MOVQ AX, done+48(FP)
	RET
