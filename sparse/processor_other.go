//go:build !amd64

package sparse

// widest is 0, because other processors run the plain Go kernels.
const widest = 0
