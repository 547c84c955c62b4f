package main

import (
	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/answer/nodes"
)

func newFederationNew() *cobra.Command {
	var flags nodes.TermsQuestion
	cmd := &cobra.Command{
		Use:   "new FOLDER",
		Short: "Begin a federation: its terms, and the folder and key of who invites",
		Long: "New writes the terms that others are going to be invited to into FOLDER/terms.yaml:\n" +
			"what is learnt from which columns, how, and at which privacy loss. Without --from\n" +
			"each row is protected at epsilon 1 towards all others together, and a logistic\n" +
			"model is learnt by gradient steps and averaging. With --from they are those of a\n" +
			"spec, without its participants; that of a simulation gets a federation.deadline and a\n" +
			"federation.silence, so that no node waits for ever. If its graph is a file, as hearsay\n" +
			"design writes it, all nodes of that graph are invited at once. Ranges, classes and categories are\n" +
			"public: they say what is known in general, not what is in anybody's file. --data tries\n" +
			"the terms on a table of yours: it offers names and kinds of its columns and computes\n" +
			"no range and no list from it, since these would tell others of its rows.\n\n" +
			"With --without and --with it also invites, for a run after one that somebody has left:\n" +
			"all participants of --from but the ones named, and who joins. All accept and sign anew.\n" +
			"The run starts afresh unless --earlier gives it a model; what both runs spend adds up.",
		Example: "  hearsay federation new heart --as lyon --title \"four hospitals\" --target num --classes healthy,ill --range age=35:75 --range chol=0:400\n" +
			"  hearsay federation new heart --as lyon --from examples/hospitals/spec.yaml\n" +
			"  hearsay federation new heart2 --as nice --from heart/spec.yaml --without lyon --with brest\n" +
			"  hearsay federation new heart3 --as nice --from heart2/spec.yaml --with paris --earlier hearsay-nice/model.json",
		Args: argument("folder"),
		RunE: func(cmd *cobra.Command, args []string) error { return flags.Begin(askerOf(cmd), args[0]) },
	}
	f := cmd.Flags()
	f.StringVar(&flags.As, "as", "", "the name of the participant who invites")
	f.StringVar(&flags.Key, "key", "", "key file of this participant; a missing one is made (default NAME.key in the folder)")
	f.StringVar(&flags.From, "from", "", "spec file whose terms are taken")
	f.StringSliceVar(&flags.Without, "without", nil, "names of participants of --from who take part no more")
	f.StringSliceVar(&flags.With, "with", nil, "names of participants who join those of --from")
	f.StringVar(&flags.Earlier, "earlier", "", "model.json of an earlier run that this one begins with; its losses must cover that others see it")
	f.StringVar(&flags.Title, "title", "", "what the federation is called")
	f.StringVar(&flags.Target, "target", "", "the column to predict")
	f.StringSliceVar(&flags.Classes, "classes", nil, "labels of the target; of two the positive one last")
	f.StringArrayVar(&flags.Ranges, "range", nil, "a column of numbers with its public range, as in age=35:75; once a column")
	f.StringArrayVar(&flags.Categories, "categories", nil, "a text column with its public values, as in sex=f,m; once a column")
	f.StringArrayVar(&flags.Fill, "fill", nil, "public value for the gaps of a column, as in age=54; once a column")
	f.StringArrayVar(&flags.Relays, "relay", nil, "a relay through which participants without addresses reach each other, with its /p2p/ id (hearsay relay); repeatable")
	f.StringVar(&flags.Record, "record", "", "what a row is, such as patient; with --person, whose rows they are")
	f.StringVar(&flags.Person, "person", "", "the column that says whose each row is: all rows of a person are then protected together")
	f.IntVar(&flags.PersonRows, "rows-per-person", 0, "with --person, as how many rows each is learnt from")
	f.StringVar(&flags.Data, "data", "", "a table of yours to try the terms on; nothing of it gets into them")
	written(cmd, &flags.Table)
	f.Float64Var(&flags.Epsilon, "epsilon", 0, "largest loss of a row towards all others together (default 1)")
	f.IntVar(&flags.Steps, "steps", 0, "noisy steps of each participant (default 20)")
	settings(cmd, &flags.Set)
	mustHave(cmd, "as")
	return cmd
}
