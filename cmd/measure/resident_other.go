//go:build !linux

package main

import "os"

// resident returns 0, because the memory is unknown on this system.
func resident(*os.ProcessState) float64 { return 0 }
