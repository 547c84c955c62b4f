package main

import (
	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/answer/nodes"
)

func newNodeCommand() *cobra.Command {
	var flags nodes.NodeQuestion
	cmd := &cobra.Command{
		Use:   "node SPEC.yaml",
		Short: "Take part in a federation as one participant",
		Long: "Node joins the federation that the spec describes: it computes what each other\n" +
			"participant could learn, holds that against the policy, trains, and ends with\n" +
			"the model, a report and its privacy statement. Started again with the same\n--dir it goes on from its ledger.",
		Args: func(cmd *cobra.Command, args []string) error {
			return argument("spec file")(cmd, flags.Dashboard.TakeAddress(args))
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			flags.Dashboard.Docs = docsHandler(cmd.Root())
			return nodes.RunNode(askerOf(cmd), flags.Dashboard.TakeAddress(args)[0], flags)
		},
	}
	f := cmd.Flags()
	f.StringVar(&flags.Dashboard.Listen, "dashboard", "", "show this node in a browser, at ADDRESS (alone: "+nodes.UsualDashboard+")")
	f.Lookup("dashboard").NoOptDefVal = nodes.UsualDashboard
	f.StringVar(&flags.Dashboard.Token, "dashboard-token", "", "file with the access token of the dashboard, in its first line")
	f.StringSliceVar(&flags.Dashboard.Hosts, "dashboard-host", nil, "name under which a proxy serves the dashboard; repeatable")
	f.StringVar(&flags.Name, "name", "", "name of this participant in the spec")
	f.StringVar(&flags.Data, "data", "", "this participant's CSV file")
	dataSet(cmd, &flags.DataSet)
	f.BoolVar(&flags.NewTable, "new-table", false, "accept another data file than at the last start, because rows were withdrawn or corrected")
	f.StringVar(&flags.NotLeft, "not-left", "", "participant that was said to have left for good, and has not: you have asked it")
	f.StringVar(&flags.By, "by", "", "column with categories (data.categories) by which its own test rows are scored too; the scores stay here")
	written(cmd, &flags.Table)
	f.StringVar(&flags.Key, "key", "", "key file of this participant (default NAME.key)")
	f.StringVar(&flags.Policy, "policy", "", "policy file of this participant (default NAME.policy.yaml beside the key)")
	f.StringVar(&flags.Dir, "dir", "", "folder for ledger and results of this participant (default hearsay-NAME)")
	f.StringVar(&flags.Status, "status", "127.0.0.1:0", "address of the health endpoint; empty for none")
	f.StringSliceVar(&flags.StatusHosts, "status-host", nil, "further host name of the health endpoint, such as a container's; repeatable")
	f.StringSliceVar(&flags.Listen, "listen", nil, "multiaddresses to listen on (default: those of the spec)")
	f.BoolVar(&flags.Quiet, "quiet", false, "log warnings and errors only")
	program(cmd, &flags.Model)
	_ = cmd.MarkFlagRequired("name") // fails only for a flag that is not there
	return cmd
}
