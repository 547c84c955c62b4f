package main

import (
	"github.com/spf13/cobra"
)

// settings adds the flag --set of commands that read a spec. A list, whose values
// may hold commas.
func settings(cmd *cobra.Command, set *[]string) {
	cmd.Flags().StringArrayVar(set, "set", nil,
		"key=value over what the spec says, such as privacy.sigma=3 or algorithm.step_size={power: 0.75}; repeatable")
}
