//go:build !linux

package resident

// unmapProgram does nothing: other systems take pages of a program back by themselves.
func unmapProgram() {}
