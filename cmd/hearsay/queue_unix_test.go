//go:build unix && !race

package main

import (
	"os/exec"
	"syscall"
)

func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup kills a process that was started and not waited for, and those that it started.
func killGroup(cmd *exec.Cmd) {
	if cmd.Process != nil && cmd.ProcessState == nil { // nobody else can have its number yet
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
}
