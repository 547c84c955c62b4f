//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// together has a command line end with all that it started.
func together(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
}
