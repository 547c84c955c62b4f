//go:build unix

package trainer

import (
	"net"
	"os"
	"os/exec"
	"syscall"
)

// socketPair returns the two ends of a socket: one for Hearsay and one for a child. Other children inherit
// neither.
func socketPair() (own net.Conn, theirs *os.File, err error) {
	syscall.ForkLock.RLock()
	ends, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err == nil {
		syscall.CloseOnExec(ends[0])
		syscall.CloseOnExec(ends[1])
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, nil, os.NewSyscallError("socketpair", err)
	}
	file := os.NewFile(uintptr(ends[0]), "program")
	defer file.Close() // the connection has a copy
	theirs = os.NewFile(uintptr(ends[1]), "hearsay")
	if own, err = net.FileConn(file); err != nil {
		theirs.Close()
		return nil, nil, err
	}
	return own, theirs, nil
}

// ownGroup starts a command in a process group of its own, so that interrupts do not reach it directly.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup kills the command and the processes that it started.
func killGroup(cmd *exec.Cmd) {
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
}
