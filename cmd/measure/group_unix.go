//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// together puts a command into its own process group. Ending the command then ends all processes that it started.
func together(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
}
