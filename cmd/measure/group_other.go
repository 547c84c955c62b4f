//go:build !unix

package main

import "os/exec"

// together does nothing on systems without process groups.
func together(*exec.Cmd) {}
