package main

import (
	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/answer/form"
)

func newPrivacyCacheCommand() *cobra.Command {
	var q form.CacheQuestion
	cmd := &cobra.Command{
		Use:   "cache",
		Short: "Say where accountants keep what they have found, and how much that is",
		Long: `Accountants keep what they find under a digest of the graph, the weights, the
schedule and this program, but of no noise, delta or target: asked again about the
same run they answer at once. Rows that data.features made are kept beside it, under
a digest of the rows. A file that is damaged or that others could have written is
not used, and what was not used for longest makes room. It can be removed at any
time, with --clear or by hand.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error { return q.Answer(askerOf(cmd), args) },
	}
	registerCache(cmd, &q.Cache)
	cmd.Flags().BoolVar(&q.Clear, "clear", false, "remove what is kept")
	return cmd
}

func registerCache(cmd *cobra.Command, f *form.Cache) {
	cmd.Flags().StringVar((*string)(f), "cache", "",
		"folder that keeps what accountants have found, so that they go on after an interruption and answer at once when asked again; none: nothing is kept "+
			"(default: "+form.CacheVariable+", else the user's folder for such files)")
}
