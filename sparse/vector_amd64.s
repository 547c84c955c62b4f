#include "textflag.h"

// func dotVector(x, y *float64, n int) float64
//
// Y0 the four parts of the sum; numbers beyond the last four go to the first part.
TEXT ·dotVector(SB), NOSPLIT, $0-32
	MOVQ   x+0(FP), SI
	MOVQ   y+8(FP), DI
	MOVQ   n+16(FP), CX
	VXORPD Y0, Y0, Y0
	SUBQ   $4, CX
	JLT    beyond

four:
	VMOVUPD (SI), Y1
	VMULPD  (DI), Y1, Y1
	VADDPD  Y1, Y0, Y0
	ADDQ    $32, SI
	ADDQ    $32, DI
	SUBQ    $4, CX
	JGE     four

beyond:
	ADDQ $4, CX
	JEQ  combine

one:
	VMOVSD (SI), X1
	VMULSD (DI), X1, X1
	VADDPD Y1, Y0, Y0
	ADDQ   $8, SI
	ADDQ   $8, DI
	DECQ   CX
	JNE    one

combine:
	VEXTRACTF128 $1, Y0, X1
	VHADDPD      X1, X0, X0
	VHADDPD      X0, X0, X0
	VMOVSD       X0, ret+24(FP)
	VZEROUPPER
	RET

// func axpyVector(dst *float64, a float64, x *float64, n int)
TEXT ·axpyVector(SB), NOSPLIT, $0-32
	MOVQ         dst+0(FP), DI
	VBROADCASTSD a+8(FP), Y0
	MOVQ         x+16(FP), SI
	MOVQ         n+24(FP), CX
	SUBQ         $4, CX
	JLT          beyond

four:
	VMULPD  (SI), Y0, Y1
	VADDPD  (DI), Y1, Y1
	VMOVUPD Y1, (DI)
	ADDQ    $32, SI
	ADDQ    $32, DI
	SUBQ    $4, CX
	JGE     four

beyond:
	ADDQ $4, CX
	JEQ  end

one:
	VMULSD (SI), X0, X1
	VADDSD (DI), X1, X1
	VMOVSD X1, (DI)
	ADDQ   $8, SI
	ADDQ   $8, DI
	DECQ   CX
	JNE    one

end:
	VZEROUPPER
	RET

// func scaleVector(x *float64, a float64, n int)
TEXT ·scaleVector(SB), NOSPLIT, $0-24
	MOVQ         x+0(FP), SI
	VBROADCASTSD a+8(FP), Y0
	MOVQ         n+16(FP), CX
	SUBQ         $4, CX
	JLT          beyond

four:
	VMULPD  (SI), Y0, Y1
	VMOVUPD Y1, (SI)
	ADDQ    $32, SI
	SUBQ    $4, CX
	JGE     four

beyond:
	ADDQ $4, CX
	JEQ  end

one:
	VMULSD (SI), X0, X1
	VMOVSD X1, (SI)
	ADDQ   $8, SI
	DECQ   CX
	JNE    one

end:
	VZEROUPPER
	RET

// func withinVector(x *float64, bound float64, n int) bool
//
// The last four numbers are looked at together, whichever of them were before.
TEXT ·withinVector(SB), NOSPLIT, $0-25
	MOVQ         x+0(FP), SI
	VBROADCASTSD bound+8(FP), Y0
	MOVQ         n+16(FP), CX
	VPCMPEQD     Y1, Y1, Y1
	VPSRLQ       $1, Y1, Y1                 // all bits but the sign
	LEAQ         -32(SI)(CX*8), DX
	VANDPD       (DX), Y1, Y2
	VCMPPD       $0x12, Y0, Y2, Y3          // size at most bound

four:
	VANDPD (SI), Y1, Y2
	VCMPPD $0x12, Y0, Y2, Y2
	VANDPD Y2, Y3, Y3
	ADDQ   $32, SI
	CMPQ   SI, DX
	JLT    four
	VMOVMSKPD Y3, AX
	CMPL      AX, $15
	SETEQ     ret+24(FP)
	VZEROUPPER
	RET

// func widenVector(dst *float64, singles *byte, n int)
TEXT ·widenVector(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DI
	MOVQ singles+8(FP), SI
	MOVQ n+16(FP), CX
	SUBQ $8, CX
	JLT  beyond

eight:
	VCVTPS2PD (SI), Y0
	VCVTPS2PD 16(SI), Y1
	VMOVUPD   Y0, (DI)
	VMOVUPD   Y1, 32(DI)
	ADDQ      $32, SI
	ADDQ      $64, DI
	SUBQ      $8, CX
	JGE       eight

beyond:
	ADDQ $8, CX
	JEQ  end

one:
	VMOVSS    (SI), X0
	VCVTSS2SD X0, X0, X0
	VMOVSD    X0, (DI)
	ADDQ      $4, SI
	ADDQ      $8, DI
	DECQ      CX
	JNE       one

end:
	VZEROUPPER
	RET
