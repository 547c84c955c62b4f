package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/answer/price"
	"github.com/hearsay-dp/hearsay/internal/textfile"
)

// settings adds the flag --set of commands that read a spec. The flag is repeatable, and its values may
// hold commas.
func settings(cmd *cobra.Command, set *[]string) {
	cmd.Flags().StringArrayVar(set, "set", nil,
		"key=value over what the spec says, such as privacy.sigma=3 or algorithm.step_size={power: 0.75}; repeatable")
}

// programs adds the flags --model and --models of commands that simulate.
func programs(cmd *cobra.Command, p *form.Program) {
	program(cmd, &p.Command)
	cmd.Flags().IntVar(&p.Processes, "models", 0, "processes of that program, which nodes ask side by side (default 1)")
}

// between adds the flags --u, --v and --colluders.
func between(cmd *cobra.Command, b *price.Between, sides, pool string) {
	cmd.Flags().StringVar(&b.Leaks, "u", "", "node that leaks, by its name or number"+sides)
	cmd.Flags().StringVar(&b.Learns, "v", "", "node that learns")
	cmd.Flags().StringArrayVar(&b.Pool, "colluders", nil, pool)
}

// written adds the flags for the notation of a table.
func written(cmd *cobra.Command, n *textfile.Notation) {
	f := cmd.Flags()
	f.StringVar(&n.Separator, "separator", "", `column separator: "," ";" "|" or tab (default: comma or tab, as the first line has them)`)
	f.StringVar(&n.Decimal, "decimal", "", `decimal sign of numbers: "." or "," (default ".")`)
	f.StringVar(&n.Encoding, "encoding", "", "encoding of the file: "+strings.Join(textfile.Encodings(), ", ")+" (default utf-8)")
	f.StringArrayVar(&n.Missing, "missing-value", nil, "further text for a missing value, such as 999, besides NA, NULL and the like; repeatable")
}

// program adds the flag --model of commands that compute.
func program(cmd *cobra.Command, command *string) {
	cmd.Flags().StringVar(command, "model", "",
		"the program that answers for an external model, such as 'python3 my_model.py', or unix:PATH of one that runs; no spec names it")
}
