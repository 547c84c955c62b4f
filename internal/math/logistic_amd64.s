#include "textflag.h"

// func logistic256(dst, z, y *float64, count int, constants *[68]float64, roots *[32]float64, negative, positive float64) (done int)
TEXT ·logistic256(SB), NOSPLIT, $0-72
	MOVQ dst+0(FP), DI
	MOVQ z+8(FP), SI
	MOVQ y+16(FP), DX
	MOVQ count+24(FP), CX
	MOVQ constants+32(FP), R8
	MOVQ roots+40(FP), R9
	VBROADCASTSD negative+48(FP), Y14
	VBROADCASTSD positive+56(FP), Y15
	XORQ AX, AX

group:
	CMPQ    CX, $4
	JLT     last
	VMOVUPD (DX), Y1                    // y
	JMP     compute

last:
	TESTQ      CX, CX
	JLE        end
	NEGQ       CX
	VMOVUPD    512(R8)(CX*8), Y0        // so many of all bits, the others of none
	NEGQ       CX
	VMASKMOVPD (DX), Y0, Y1

compute:
	VMULPD    (SI), Y1, Y2              // x
	VANDPD    0(R8), Y2, Y3
	VCMPPD    $0x16, 32(R8), Y3, Y3     // beyond 708, or no number: left to the caller
	VMOVMSKPD Y3, BX
	TESTL     BX, BX
	JNE       end

	// e = Exp(x)
	VMULPD     96(R8), Y2, Y3
	VADDPD     128(R8), Y3, Y3          // shifted
	VSUBPD     128(R8), Y3, Y4          // n
	VMULPD     160(R8), Y4, Y5
	VSUBPD     Y5, Y2, Y5
	VMULPD     192(R8), Y4, Y6
	VSUBPD     Y6, Y5, Y5               // r
	VPSUBQ     128(R8), Y3, Y9          // n as an integer
	VPAND      416(R8), Y9, Y10
	VPCMPEQD   Y12, Y12, Y12
	VXORPD     Y11, Y11, Y11
	VGATHERQPD Y12, (R9)(Y10*8), Y11    // root
	VMULPD     Y5, Y5, Y6               // square
	VMULPD     224(R8), Y5, Y7
	VADDPD     256(R8), Y7, Y7
	VMULPD     288(R8), Y6, Y8
	VADDPD     Y8, Y7, Y7
	VMULPD     Y6, Y7, Y7
	VMULPD     320(R8), Y5, Y8
	VADDPD     352(R8), Y8, Y8
	VADDPD     Y7, Y8, Y7
	VMULPD     Y6, Y7, Y7
	VADDPD     Y7, Y5, Y7               // series
	VMULPD     Y7, Y11, Y12
	VADDPD     Y12, Y11, Y12
	VPAND      448(R8), Y9, Y9
	VPSLLQ     $47, Y9, Y9
	VPADDQ     Y9, Y12, Y2              // e

	VADDPD    384(R8), Y2, Y2
	VXORPD    Y3, Y3, Y3
	VCMPPD    $0x1E, Y3, Y1, Y3         // y above 0
	VBLENDVPD Y3, Y15, Y14, Y3          // w
	VXORPD    64(R8), Y3, Y3
	VMULPD    Y1, Y3, Y3
	VDIVPD    Y2, Y3, Y3
	VMOVUPD   Y3, (DI)
	ADDQ      $32, SI
	ADDQ      $32, DI
	ADDQ      $32, DX
	INCQ      AX
	SUBQ      $4, CX
	JMP       group

end:
	VZEROUPPER
	MOVQ AX, done+64(FP)
	RET
