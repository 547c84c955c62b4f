package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/kept"
	pathloss "github.com/hearsay-dp/hearsay/privacy/path"
)

// cacheFlag is --cache.
type cacheFlag string

// noCache says that nothing is to be kept, cacheVariable is the environment variable that
// says where if no flag does, and mostCache is how many bytes the user's own folder may
// come to.
const (
	noCache       = "none"
	cacheVariable = "HEARSAY_CACHE"
	mostCache     = 2 << 30
)

func (f *cacheFlag) register(cmd *cobra.Command) {
	cmd.Flags().StringVar((*string)(f), "cache", "",
		"folder that keeps what accountants have found, so that they go on after an interruption and answer at once when asked again; none: nothing is kept "+
			"(default: "+cacheVariable+", else the user's folder for such files)")
}

// keeper is what the flag, the environment or the user's own folder keeps; nil: nothing.
func (f cacheFlag) keeper(say io.Writer) (*kept.Folder, string, error) {
	folder := cmp.Or(string(f), os.Getenv(cacheVariable))
	switch folder {
	case noCache:
		return nil, "", nil
	case "":
		own, err := os.UserCacheDir()
		if err != nil {
			return nil, "", nil // it has none
		}
		folder = filepath.Join(own, "hearsay")
		return kept.In(folder, mostCache, say), folder, nil
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, "", fault.Wrap(err, "cannot make the cache "+folder, "give a folder that can be written, or none")
	}
	return kept.In(folder, 0, say), folder, nil
}

// watch follows the accountants of a command: it shows progress, and keeps what they find.
func (f cacheFlag) watch(cmd *cobra.Command) (*pathloss.Watch, error) {
	p := pulseOf(cmd.ErrOrStderr())
	w := &pathloss.Watch{Context: cmd.Context(), Stage: p.enter, Progress: p.progress}
	keeper, folder, err := f.keeper(cmd.ErrOrStderr())
	if err != nil {
		return nil, err
	}
	if keeper == nil {
		p.hint = func() string {
			return "nothing was written; run it again to start over, with --cache FOLDER to keep what accounting finds"
		}
		return w, nil
	}
	p.hint = func() string {
		if !keeper.Used() {
			return ""
		}
		return fmt.Sprintf("what accounting found is kept in %s; the same command goes on from there", folder)
	}
	w.Keeper = keeper
	return w, nil
}

// watched is the context of a command whose accountants are followed.
func (f cacheFlag) watched(cmd *cobra.Command) (context.Context, error) {
	watch, err := f.watch(cmd)
	return experiment.Watching(cmd.Context(), watch), err
}

// plain follows accountants where nothing is kept unless the flag says so: a real
// participant takes no number from a file that nobody named.
func (f cacheFlag) plain(cmd *cobra.Command) (*pathloss.Watch, error) {
	if f != "" {
		return f.watch(cmd)
	}
	p := pulseOf(cmd.ErrOrStderr())
	return &pathloss.Watch{Context: cmd.Context(), Stage: p.enter, Progress: p.progress}, nil
}

func newPrivacyCacheCommand() *cobra.Command {
	var cache cacheFlag
	var clear bool
	cmd := &cobra.Command{
		Use:   "cache",
		Short: "Say where accountants keep what they have found, and how much that is",
		Long: `Accountants keep what they find under a digest of the graph, the weights, the
schedule and this program, but of no noise, delta or target: asked again about the
same run they answer at once. A file that is damaged or that others could have
written is not used, and what was not used for longest makes room. It can be
removed at any time, with --clear or by hand.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			keeper, folder, err := cache.keeper(cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			answer := struct {
				Folder string `json:"folder"` // "": nothing is kept
				Files  int    `json:"files"`
				Bytes  int64  `json:"bytes"`
			}{Folder: folder}
			if keeper != nil {
				if clear {
					keeper.Clear()
				}
				answer.Files, answer.Bytes = keeper.Size()
			}
			if wantJSON(cmd) {
				return printJSON(cmd, answer)
			}
			if keeper == nil {
				fmt.Fprintln(cmd.OutOrStdout(), "nothing is kept")
				return nil
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s: %d files, %.1f MB\n", answer.Folder, answer.Files, float64(answer.Bytes)/1e6)
			return nil
		},
	}
	cache.register(cmd)
	cmd.Flags().BoolVar(&clear, "clear", false, "remove what is kept")
	return cmd
}
