package form

import (
	"context"
	"os"
	"os/exec"
)

// Exit codes.
const (
	ExitOK    = 0
	ExitFault = 1  // it failed; the error says why
	ExitUsage = 2  // it was called wrongly
	ExitLater = 75 // it is worth trying again later, as it was
)

// Itself is this program, under the name that it was started by.
func Itself(ctx context.Context, args ...string) *exec.Cmd {
	path, err := os.Executable()
	if err != nil {
		path = os.Args[0]
	}
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Args[0] = os.Args[0]
	return cmd
}
