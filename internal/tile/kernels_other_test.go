//go:build !amd64

package tile

func eachKernel(check func()) { check() }
