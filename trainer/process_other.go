//go:build !unix

package trainer

import (
	"net"
	"os"
	"os/exec"

	"github.com/hearsay-dp/hearsay/fault"
)

func socketPair() (net.Conn, *os.File, error) {
	return nil, nil, fault.New("--model: no program can be started on this system", "start it yourself, and attach to it with --model unix:PATH")
}

func ownGroup(*exec.Cmd) {}

func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
