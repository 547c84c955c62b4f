package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

// A group is a task of a user and the commands for it.
type group struct {
	title    string
	commands []*cobra.Command
}

// groups returns all commands, grouped by task. Each has its own line, so that two new commands do not
// conflict in a merge.
func groups() []group {
	return []group{
		{"Simulate and compare", []*cobra.Command{
			newRunCommand(),
			newSweepCommand(),
			newWorkerCommand(),
			newCompareCommand(),
			newPapersCommand(),
		}},
		{"Decide, and show others", []*cobra.Command{
			newDesignCommand(),
			newPlanCommand(),
			newRehearseCommand(),
			newDossierCommand(),
			newPrivacyCommand(),
			newForgetCommand(),
			newAttackCommand(),
		}},
		{"Train together", []*cobra.Command{
			newDemoCommand(),
			newFederationCommand(),
			newKeysCommand(),
			newPolicyCommand(),
			newBudgetCommand(),
			newConstantCommand(),
			newNodeCommand(),
			newRelayCommand(),
			newStatusCommand(),
			newLedgerCommand(),
		}},
		{"Look, and use what comes out", []*cobra.Command{
			newServeCommand(),
			newDocsCommand(),
			newPredictCommand(),
			newPersonaliseCommand(),
			newModelCommand(),
			newKindsCommand(),
			newDataCommand(),
			newGraphCommand(),
		}},
	}
}

// addGroups adds all groups and their commands to root.
func addGroups(root *cobra.Command) {
	for i, g := range groups() {
		id := fmt.Sprint(i)
		root.AddGroup(&cobra.Group{ID: id, Title: g.title + ":"})
		for _, c := range g.commands {
			c.GroupID = id
			root.AddCommand(c)
		}
	}
}
