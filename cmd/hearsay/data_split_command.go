package main

import (
	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/answer/tables"
)

func newDataSplit() *cobra.Command {
	var q tables.SplitQuestion
	cmd := &cobra.Command{
		Use:   "split SOURCE",
		Short: "Write the rows of each natural group as a CSV file, as participants bring them",
		Long: "Writes NAME.csv for every natural group of a source, such as the hospitals of heart: a header, the features, and\n" +
			"the label last. Without --path, heart is its synthetic stand-in.",
		Args: argument("source"),
		RunE: func(cmd *cobra.Command, args []string) error { return q.Split(askerOf(cmd), args) },
	}
	cmd.Flags().StringVar(&q.Path, "path", "", "the file, or the folder with the files")
	cmd.Flags().StringVar(&q.Dir, "out", ".", "folder to write to")
	return cmd
}
