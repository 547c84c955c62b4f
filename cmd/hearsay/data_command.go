package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/answer/tables"
)

func newDataCommand() *cobra.Command {
	data := &cobra.Command{
		Use:   "data",
		Short: "Look at a data source, or download a public one",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	data.AddCommand(newDataInfo(), newDataSplit(), newDataFetch())
	return data
}

func newDataInfo() *cobra.Command {
	var q tables.DataInfoQuestion
	info := &cobra.Command{
		Use:   "info SOURCE",
		Short: "Rows, columns, classes, ranges, missing values and checksum of a source",
		Long: "Describes a source as it is read, before any split or scaling.\n\nSources: " + strings.Join(tables.Sources(), ", ") +
			".\nSOURCE may also be a .csv, .tsv or LIBSVM file.",
		Args: argument("source or file"),
		RunE: func(cmd *cobra.Command, args []string) error { return q.DescribeData(askerOf(cmd), args) },
	}
	info.Flags().StringVar(&q.Path, "path", "", "the file, or the folder with the files (default data/SOURCE)")
	sourceFlags(info, &q)
	return info
}

// sourceFlags adds the flags that say how a source is read.
func sourceFlags(cmd *cobra.Command, q *tables.DataInfoQuestion) {
	f := cmd.Flags()
	f.StringVar(&q.Target, "target", "", "the column to predict")
	f.StringVar(&q.Task, "task", "", "classification or regression")
	f.StringVar(&q.Group, "group", "", "the column of a CSV file that says where a row lives")
	f.StringSliceVar(&q.Drop, "drop", nil, "columns to leave out")
	written(cmd, &q.Table)
	f.StringVar(&q.Missing, "missing", "", "drop: leave out rows of a CSV file without a value; error: list them")
	f.StringArrayVar(&q.Categories, "categories", nil, "a text column of a CSV file with its values, as in sex=f,m; once a column")
	f.StringArrayVar(&q.Fill, "fill", nil, "value for the gaps of a column of a CSV file, as in age=54; once a column")
}

func newDataFetch() *cobra.Command {
	var q tables.FetchQuestion
	get := &cobra.Command{
		Use:   "fetch NAME",
		Short: "Download a public data set, checked by SHA-256",
		Long: "Downloads a public data set to data/NAME. A broken download goes on where it\n" +
			"stopped; a file gets its name only when it is complete and its checksum is right.\n\nNames: " +
			strings.Join(tables.Fetchable(), ", ") + ".\n\nHEARSAY_MIRROR may hold the URL of a folder with a folder for each name.",
		Args: argument("name of a data set"),
		RunE: func(cmd *cobra.Command, args []string) error { return q.Fetch(askerOf(cmd), args) },
	}
	get.Flags().StringVar(&q.Dir, "dir", "", "the folder to download to (default data/NAME)")
	get.Flags().StringVar(&q.Url, "url", "", "take the files from this folder, or the file from this address")
	return get
}
