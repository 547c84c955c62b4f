//go:build !amd64

package sparse

// widest is 0: other processors run the plain Go kernels.
const widest = 0
