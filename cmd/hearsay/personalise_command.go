package main

import (
	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/answer/runs"
)

func newPersonaliseCommand() *cobra.Command {
	var q runs.PersonaliseQuestion
	cmd := &cobra.Command{
		Use:   "personalise MODEL",
		Short: "Fit a joint model to your own rows, at home",
		Long: "Personalise reads MODEL, the model.json of a result or of a participant or the\n" +
			"folder that holds it, and your own table with labels. It fits the model to your\n" +
			"rows once more, near the joint model or without it, whichever of nine choices\n" +
			"does best in cross-validation, and says how the joint model, one of your rows\n" +
			"alone and the one at home do on rows that no fit has seen.\n\n" +
			"Nothing leaves the machine, so nothing is charged. The model in --out holds your\n" +
			"rows without protection: show it to nobody. hearsay predict reads it.",
		Example: "  hearsay personalise hearsay-lyon --data lyon.csv --out home",
		Args:    argument("model"),
		RunE:    func(cmd *cobra.Command, args []string) error { return q.Personalise(askerOf(cmd), args) },
	}
	cmd.Flags().StringVar(&q.Data, "data", "", "CSV table of your own rows, with labels")
	cmd.Flags().StringVar(&q.Out, "out", "", "folder for the model")
	written(cmd, &q.Table)
	trialFlag(cmd, &q.Trial)
	mustHave(cmd, "data", "out")
	return cmd
}
