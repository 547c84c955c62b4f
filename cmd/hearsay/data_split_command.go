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
			"the label last. Without --path, heart is its synthetic stand-in. With --parts, rows of any source are dealt by chance.\n" +
			"SOURCE may also be a .csv, .tsv or LIBSVM file.",
		Example: "  hearsay data split mnist --path mnist --parts 10 --rows 300 --out parts\n  hearsay data split all.csv --target ill --parts 3",
		Args:    argument("source or file"),
		RunE:    func(cmd *cobra.Command, args []string) error { return q.Split(askerOf(cmd), args) },
	}
	cmd.Flags().StringVar(&q.Source.Path, "path", "", "the file, or the folder with the files")
	sourceFlags(cmd, &q.Source)
	cmd.Flags().StringVar(&q.Dir, "out", ".", "folder to write to")
	cmd.Flags().IntVar(&q.Parts, "parts", 0, "deal rows by chance to so many files, part01.csv and so on, in place of natural groups")
	cmd.Flags().IntVar(&q.Rows, "rows", 0, "with --parts: how many rows each has (default: as many as there are)")
	cmd.Flags().Uint64Var(&q.Seed, "seed", 1, "with --parts: which rows")
	return cmd
}
