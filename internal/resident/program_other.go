//go:build !linux

package resident

// unmapProgram does nothing, because other systems take pages of a program back by themselves.
func unmapProgram() {}
