//go:build !amd64

package scatter

func eachKernel(check func()) { check() }
