package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/kept"
	pathloss "github.com/hearsay-dp/hearsay/privacy/path"
)

// cacheFlag is --cache.
type cacheFlag string

func (f *cacheFlag) register(cmd *cobra.Command) {
	cmd.Flags().StringVar((*string)(f), "cache", "",
		"folder that keeps what the path accountant has found, so that it goes on after an interruption")
}

// watch follows the path accountant of a command: it shows progress, and keeps
// laws where the flag says, else in fallback, if that is not empty.
func (f cacheFlag) watch(cmd *cobra.Command, fallback string) (*pathloss.Watch, error) {
	p := pulseOf(cmd.ErrOrStderr())
	w := &pathloss.Watch{Context: cmd.Context(), Stage: p.enter, Progress: p.progress}
	folder := string(f)
	if folder == "" {
		folder = fallback
	}
	if folder == "" {
		p.hint = func() string {
			return "nothing was written; run it again to start over, with --cache FOLDER to keep what accounting finds"
		}
		return w, nil
	}
	if f != "" {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return nil, fault.Wrap(err, "cannot make the cache "+folder, "give a folder that can be written")
		}
	}
	keeper, err := kept.In(folder, 0, cmd.ErrOrStderr())
	if err != nil {
		return nil, err
	}
	p.hint = func() string {
		if !keeper.Any() {
			return ""
		}
		return fmt.Sprintf("what accounting found is kept in %s; the same command goes on from there", folder)
	}
	w.Keeper = keeper
	return w, nil
}

// plain follows the path accountant where nothing is kept unless the flag says so.
func (f cacheFlag) plain(cmd *cobra.Command) (*pathloss.Watch, error) {
	if f != "" {
		return f.watch(cmd, "")
	}
	p := pulseOf(cmd.ErrOrStderr())
	return &pathloss.Watch{Context: cmd.Context(), Stage: p.enter, Progress: p.progress}, nil
}
