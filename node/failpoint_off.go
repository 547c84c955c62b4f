//go:build !failpoints

package node

// defaultFailpoint does nothing: only a binary built with the tag failpoints,
// for tests, can be told to die.
func defaultFailpoint() func(name string) { return func(string) {} }
