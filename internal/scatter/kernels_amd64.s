#include "textflag.h"

// All lanes are a vector of 512 bits.
#define V0 Z0
#define V1 Z1
#define V2 Z2
#define V3 Z3
#define V4 Z4
#define V5 Z5
#define V6 Z6
#define V7 Z7
#define V8 Z8
#define ZERO(v) VPXORQ v, v, v
#define DFT ·dft512
#define SCALE ·scale512
#define MODULI ·moduli512
#define MIX ·mix512
#include "kernels_amd64.h"

#undef V0
#undef V1
#undef V2
#undef V3
#undef V4
#undef V5
#undef V6
#undef V7
#undef V8
#undef ZERO
#undef DFT
#undef SCALE
#undef MODULI
#undef MIX
#undef FIRST
#undef TERM
#undef EVEN
#undef WEIGHTS

// Half of them are one of 256.
#define V0 Y0
#define V1 Y1
#define V2 Y2
#define V3 Y3
#define V4 Y4
#define V5 Y5
#define V6 Y6
#define V7 Y7
#define V8 Y8
#define ZERO(v) VPXOR v, v, v
#define DFT ·dft256
#define SCALE ·scale256
#define MODULI ·moduli256
#define MIX ·mix256
#include "kernels_amd64.h"
