//go:build !failpoints

package node

// defaultFailpoint returns a function that does nothing. Only binaries with the build tag failpoints, for tests,
// can be killed at a failpoint.
func defaultFailpoint() func(name string) { return func(string) {} }
