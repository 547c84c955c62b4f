package main

import (
	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/answer/nodes"
)

func newDossierCommand() *cobra.Command {
	var q nodes.DossierQuestion
	cmd := &cobra.Command{
		Use:   "dossier SPEC.yaml|DIR",
		Short: "Write the document for a board or an ethics committee",
		Long: "Dossier writes one page, two to five sheets when printed, about a spec before anything runs, or about\n" +
			"a folder that hearsay run or hearsay node wrote: the question, the answer in plain words, who must be\n" +
			"trusted, the worst pairs and coalitions, who could reconstruct whom without the noise, the claim with\n" +
			"its status and unit, and how to check it. Numbers of a folder follow from its files.\n\n" +
			"  hearsay dossier spec.yaml --out board.html\n" +
			"  hearsay dossier spec.yaml --pair 12,7 --out board.html     what 7 would learn about 12, how sure, and why\n" +
			"  hearsay dossier form > about.yaml                          purpose, legal basis, retention, ...: to be filled in\n" +
			"  hearsay dossier spec.yaml --about about.yaml --out board.html\n" +
			"  hearsay dossier hearsay-lyon --sign lyon.key --out board.html\n" +
			"  hearsay dossier verify board.html --recompute",
		Args: argument("spec file or folder"),
		RunE: func(cmd *cobra.Command, args []string) error { return q.Make(askerOf(cmd), args) },
	}
	cmd.Flags().StringVar(&q.Out, "out", "", "file for the page")
	cmd.Flags().StringVar(&q.Key, "sign", "", "key file of the signer (hearsay keys)")
	cmd.Flags().StringVar(&q.About, "about", "", "file with statements of its maker: purpose, legal basis, retention, ... (hearsay dossier form)")
	cmd.Flags().StringArrayVar(&q.Pairs, "pair", nil, "ABOUT,OBSERVER: names or numbers of a pair to be answered in words; repeatable")
	settings(cmd, &q.Set)
	registerCache(cmd, &q.Cache)
	cmd.AddCommand(newDossierFormCommand(), newDossierVerifyCommand(), newDossierSignCommand())
	return cmd
}

func newDossierFormCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "form",
		Short: "Print the file of what a dossier's maker states, to be filled in",
		Args:  cobra.NoArgs,
		RunE:  answering(func() (nodes.ExampleFile, error) { return nodes.NewDossierForm(), nil }),
	}
}

func newDossierVerifyCommand() *cobra.Command {
	var q nodes.VerifyQuestion
	cmd := &cobra.Command{
		Use:   "verify FILE.html",
		Short: "Check that a dossier is unchanged, who signed it, and with --recompute all it says",
		Long: "Verify checks the signatures of a dossier, which are of every byte of it, that the page shows what its own\n" +
			"numbers say, that its spec has the hash that it states, that signatures in the spec are of this spec, and that\n" +
			"a node has signed what it says of its run. --key asks for the signature of a peer id, --spec for a spec that is\n" +
			"the same as yours. --ledger holds what it says of the run against the ledger of the node. --recompute makes the\n" +
			"dossier again from the spec in it, runs a simulation again, and compares every field. Nobody's signature is an error, unless --recompute takes its place. Another release's\n" +
			"dossier is an error: only the release that made it can check it.",
		Args: argument("file"),
		RunE: func(cmd *cobra.Command, args []string) error { return q.Verify(askerOf(cmd), args) },
	}
	cmd.Flags().StringArrayVar(&q.Keys, "key", nil, "peer id that must have signed it; repeatable")
	cmd.Flags().StringVar(&q.SpecFile, "spec", "", "a federation's spec that it must be about")
	cmd.Flags().StringVar(&q.Ledger, "ledger", "", "folder of the node that it is about, whose ledger must hold what it says")
	cmd.Flags().BoolVar(&q.Again, "recompute", false, "make it again from the spec in it, and compare every field")
	return cmd
}

func newDossierSignCommand() *cobra.Command {
	var q nodes.DossierSignQuestion
	cmd := &cobra.Command{
		Use:   "sign FILE.html --key KEYFILE",
		Short: "Add a signature to a dossier",
		Args:  argument("file"),
		RunE:  func(cmd *cobra.Command, args []string) error { return q.Sign(askerOf(cmd), args) },
	}
	cmd.Flags().StringVar(&q.Key, "key", "hearsay.key", "key file of the signer")
	return cmd
}
