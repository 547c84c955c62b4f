package loopback

import (
	"errors"
	"os"
	"syscall"
)

// Hold reserves n unused ports.
func Hold(n int) (all Ports, err error) {
	for range n {
		p, err := hold()
		if err != nil {
			return nil, errors.Join(err, all.Close())
		}
		all = append(all, p)
	}
	return all, nil
}

// hold reserves a port by a socket that is bound to it and never listens. Linux does not give such a port to a process that
// asks for any port. A process that names the port and sets SO_REUSEADDR, as Go's listeners do, can listen on it.
func hold() (*Port, error) {
	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, os.NewSyscallError("socket", err)
	}
	number, err := bind(socket)
	if err != nil {
		_ = syscall.Close(socket)
		return nil, err
	}
	return &Port{Number: number, close: func() error { return os.NewSyscallError("close", syscall.Close(socket)) }}, nil
}

func bind(socket int) (port int, err error) {
	if err := syscall.SetsockoptInt(socket, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1); err != nil {
		return 0, os.NewSyscallError("setsockopt", err)
	}
	if err := syscall.Bind(socket, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return 0, os.NewSyscallError("bind", err)
	}
	at, err := syscall.Getsockname(socket)
	if err != nil {
		return 0, os.NewSyscallError("getsockname", err)
	}
	return at.(*syscall.SockaddrInet4).Port, nil // bound as IPv4
}
