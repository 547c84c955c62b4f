package main

import (
	"context"
	"errors"
	"testing"

	"github.com/spf13/cobra"
)

// An accountant that never ends does not hold up its command.
func TestPrivacyCommandsEndWithTheirContext(t *testing.T) {
	started, never := make(chan struct{}), make(chan struct{})
	defer close(never)
	ctx, cancel := context.WithCancel(t.Context())
	cmd := &cobra.Command{SilenceUsage: true, SilenceErrors: true, RunE: interruptible(func(*cobra.Command, []string) error {
		close(started)
		<-never
		return nil
	})}
	go func() {
		<-started
		cancel()
	}()
	cmd.SetArgs(nil)
	if err := cmd.ExecuteContext(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("it ends with %v", err)
	}
	for _, sub := range newPrivacyCommand().Commands() {
		if sub.RunE == nil {
			t.Errorf("%s does nothing", sub.Name())
		}
	}
}
