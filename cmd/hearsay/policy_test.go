package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/hearsay-dp/hearsay/answer/nodes"
	"github.com/hearsay-dp/hearsay/node/policy"
)

// Reading a policy ends with its command.
func TestReadingAPolicyEndsWithItsContext(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lyon.policy.yaml")
	if err := os.WriteFile(path, []byte(policy.Example), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := nodes.OpenPolicy(ctx, "", path[:len(path)-len(".policy.yaml")]+".key"); err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := nodes.OpenPolicy(ctx, path, ""); !errors.Is(err, context.Canceled) {
		t.Errorf("it ends with %v", err)
	}
}
