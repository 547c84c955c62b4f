package main

import (
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/answer/nodes"
)

func newDemoCommand() *cobra.Command {
	c, only := nodes.NewDemo(), false
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Show a federation of real nodes on this machine, in a minute",
		Long: "Demo starts the four hospitals of examples/hospitals as processes on the loopback\n" +
			"interface, each with its own key, policy, patients and ledger. Every patient has epsilon\n" +
			"at most 1 towards everybody together. One hospital is killed with SIGKILL on the way and\n" +
			"started again. The patients are those of the heart disease data if it is there (hearsay\n" +
			"data fetch heart), else synthetic ones. With --nodes or --steps as many clinics hand a\n" +
			"model around instead, each on rows that are generated.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !cmd.Flags().Changed("nodes") && !cmd.Flags().Changed("steps") {
				c.Clinics = 0
			}
			return nodes.RunDemo(askerOf(cmd), c, only)
		},
	}
	cmd.Flags().StringVar(&c.Heart, "heart", filepath.Join("data", "heart"), "folder of the heart disease data")
	cmd.Flags().IntVar(&c.Clinics, "nodes", 8, "4 to 26 clinics, instead of the hospitals")
	cmd.Flags().IntVar(&c.Steps, "steps", 4000, "turns of the clinics' walk")
	cmd.Flags().StringVar(&c.Dir, "dir", "", "folder to keep everything in (default a new one for temporary files)")
	cmd.Flags().BoolVar(&only, "prepare", false, "start nothing; write a folder for each participant, for the containers of deploy/compose.yaml")
	return cmd
}
