package main

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/papers"
)

func newPapersCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "papers",
		Short: "Reproduce figures and tables of the papers",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newPapersList(), newPapersRun())
	return cmd
}

func newPapersList() *cobra.Command {
	return &cobra.Command{
		Use:   "list [WORD...]",
		Short: "List what can be reproduced, or what has all of some words",
		RunE: func(cmd *cobra.Command, words []string) error {
			found := papers.Search(words...)
			if len(found) == 0 {
				return fault.New(fmt.Sprintf("no study has %q", strings.Join(words, " ")), "hearsay papers list has all of them; fewer words find more")
			}
			type entry struct{ ID, Title, Source, Data string }
			var list []entry
			t := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			for _, s := range found {
				list = append(list, entry{s.ID, s.Title, s.Source, s.Data})
				fmt.Fprintf(t, "%s\t%s\t(%s)\n", s.ID, s.Title, s.Source)
			}
			if wantJSON(cmd) {
				return printJSON(cmd, list)
			}
			return t.Flush()
		},
	}
}

// studyFlags are those of papers run.
type studyFlags struct {
	data, out, summary string
	quick              bool
	workers            int // studies side by side
	cache              form.Cache
}

func newPapersRun() *cobra.Command {
	var f studyFlags
	cmd := &cobra.Command{
		Use:     "run ID|WORD...|all",
		Short:   "Run one figure or table, or all, and put the paper's numbers beside ours",
		Example: "  hearsay papers run 002-figure-6.1b --data data --out out\n  hearsay papers run muffliato figure 1 --data data --quick",
		Long: "Run computes a study, says of each claim of the paper whether it came out, and which\n" +
			"stand with losses that are true. With --out it writes tables, figures and a page.\n" +
			"Of all studies, those that --out has from the same program are not run again, so that\n" +
			"the command goes on where it was stopped, and those whose data are missing are skipped.\n" +
			"Several studies run side by side, and are told of one after the other.",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("hearsay papers run takes an ID of hearsay papers list, words such as muffliato figure 1, or all")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, err := f.cache.Watched(cmd.Context(), cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			cmd.SetContext(ctx)
			if slices.Equal(args, []string{"all"}) {
				return runStudies(cmd, papers.All(), f)
			}
			found, err := papers.Choose(strings.Join(args, " "))
			if err != nil {
				return err
			}
			if len(found) > 1 { // the parts of one figure
				return runStudies(cmd, found, f)
			}
			return runStudy(cmd, found[0], f)
		},
	}
	cmd.Flags().StringVar(&f.data, "data", "data", "folder of the data sets, as hearsay data fetch fills it")
	cmd.Flags().BoolVar(&f.quick, "quick", false, "the same on little, in seconds")
	cmd.Flags().StringVar(&f.out, "out", "", "folder for tables (CSV), figures (SVG) and pages")
	cmd.Flags().StringVar(&f.summary, "summary", "", "Markdown file for what came out")
	cmd.Flags().IntVar(&f.workers, "workers", min(runtime.GOMAXPROCS(0), mostStudies), "studies side by side")
	registerCache(cmd, &f.cache)
	return cmd
}

// mostStudies is how many studies run side by side unless asked for more: each holds some hundred megabytes.
const mostStudies = 4

func runStudy(cmd *cobra.Command, study papers.Study, f studyFlags) error {
	if err := checkStudyData(study, f.data); err != nil {
		return err
	}
	say := func(line string) { fmt.Fprintln(cmd.ErrOrStderr(), line) }
	say(study.ID + ": " + study.Title)
	record, err := study.Make(cmd.Context(), f.data, f.quick, say)
	if err != nil {
		return err
	}
	if f.out != "" {
		if err := record.Write(f.out); err != nil {
			return err
		}
	}
	if err := writeSummary([]papers.Entry{{Study: study, Record: record}}, study.ID, f); err != nil {
		return err
	}
	if err := printStudy(cmd, study, record.Findings); err != nil {
		return err
	}
	if failed := study.Failed(record.Findings); len(failed) > 0 {
		return fault.New(fmt.Sprintf("%s does not show what the paper shows: %s", study.ID, strings.Join(failed, "; ")),
			"look at the tables; docs/PAPERS.md says what was measured before")
	}
	return nil
}

func checkStudyData(study papers.Study, data string) error {
	if study.Data == "" {
		return nil
	}
	if _, err := os.Stat(filepath.Join(data, filepath.FromSlash(study.Data))); errors.Is(err, os.ErrNotExist) {
		hint := "give the folder with --data, or fetch it: hearsay data fetch houses"
		if path.Dir(study.Data) == "mnist" {
			hint = "give the folder with --data, or fetch it: hearsay data fetch mnist --dir " + filepath.Join(data, "mnist")
		}
		if study.Data == "heart" {
			hint = "give the folder with --data, or fetch it: hearsay data fetch heart --dir " + filepath.Join(data, "heart")
		}
		if path.Dir(study.Data) == "facebook" {
			hint = "give the folder with --data; the file is one of SNAP's ego-Facebook edge lists"
		}
		return fault.New(fmt.Sprintf("%s needs %s below %s, and it is not there", study.ID, study.Data, data), hint)
	}
	return nil
}

// printStudy prints the runs alone where a study has nothing else.
func printStudy(cmd *cobra.Command, study papers.Study, found *papers.Findings) error {
	switch {
	case !wantJSON(cmd):
		return study.WriteText(cmd.OutOrStdout(), found)
	case len(found.Checks) == 0:
		return printJSON(cmd, found.Outcomes)
	}
	return printJSON(cmd, found)
}
