package form

import (
	"context"
	"os"
	"os/exec"
)

// Exit codes.
const (
	ExitOK    = 0
	ExitFault = 1  // failure; the error says why
	ExitUsage = 2  // wrong usage
	ExitLater = 75 // the same call may succeed later
)

// Itself returns a command that runs this program with args, under the name by which it was started.
func Itself(ctx context.Context, args ...string) *exec.Cmd {
	path, err := os.Executable()
	if err != nil {
		path = os.Args[0]
	}
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Args[0] = os.Args[0]
	return cmd
}
