package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/regular"
	"github.com/hearsay-dp/hearsay/internal/terminal"
	"github.com/hearsay-dp/hearsay/rehearse"
	"github.com/hearsay-dp/hearsay/spec"
)

func newRehearseCommand() *cobra.Command {
	o := rehearse.Options{}
	var data, policies, set []string
	var out, score string
	var cache form.Cache
	cmd := &cobra.Command{
		Use:   "rehearse FEDERATION.yaml",
		Short: "Simulate a federation before anybody joins: is joining worth it?",
		Long: "Rehearse runs the very spec, with its algorithm, schedule and noise, on rows that are made up in the\n" +
			"shape that the spec declares, or on files, and says for every participant whether joining is better\n" +
			"than its own rows alone, what each could learn about each, time, traffic, and whose policy refuses.\n\n" +
			"Nobody knows beforehand what everybody's rows are like: made-up rows are of several difficulties, with\n" +
			"participants alike and apart, and an answer is one only where all of them give it.\n\n" +
			"  hearsay rehearse spec.yaml --out rehearsal\n" +
			"  hearsay rehearse spec.yaml --data lyon=lyon.csv --policy lyon=lyon.policy.yaml\n" +
			"  hearsay rehearse spec.yaml --data public.csv --trials 50 --out page.html",
		Args: argument("spec file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := loadSpec(cmd.Context(), args[0], set...)
			if err != nil {
				return err
			}
			if score != "own" && score != "all" {
				return fault.New(fmt.Sprintf("--score: %q is not known", score), "use own or all")
			}
			o.Everybody = score == "all"
			if err := readData(&o, data); err != nil {
				return err
			}
			o.Policies = policyFiles(s, args[0], policies)
			return runRehearsal(cmd, s, o, out, cache)
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&data, "data", nil, "NAME=FILE.csv of a participant, repeatable; or one FILE.csv whose rows are shared out to all")
	flags.IntVar(&o.Trials, "trials", 0, "trials in each world (default: as many as a minute allows, 20 at most)")
	flags.IntVar(&o.Rows, "rows", 0, "rows of a participant of whom the spec does not say (default 100)")
	flags.StringSliceVar(&o.Difficulties, "difficulty", nil, "of made-up rows: easy, middling or hard (default: all three)")
	flags.StringArrayVar(&policies, "policy", nil, "NAME=FILE, or FILE for NAME.policy.yaml; else those beside the spec; repeatable")
	flags.Float64Var(&o.LeastGain, "least-gain", 0, "what is worth joining for: balanced accuracy, or a share of the error alone (default 0.01)")
	flags.DurationVar(&o.Latency, "latency", 0, "that a message takes, for the time of a run (default 50ms)")
	flags.StringVar(&score, "score", "own", "test rows that each is scored on: its own, or those of all")
	flags.StringVar(&out, "out", "", "folder for rehearsal.html and rehearsal.json, or the page alone: FILE.html")
	settings(cmd, &set)
	registerCache(cmd, &cache)
	return cmd
}

// readData tells one file for all from files of participants.
func readData(o *rehearse.Options, given []string) error {
	o.Files = map[string]string{}
	for _, text := range given {
		name, file, named := strings.Cut(text, "=")
		switch {
		case !named && (o.Pool != "" || len(given) > 1):
			return fault.New("--data: one file for all and another", "give one FILE.csv, or NAME=FILE.csv for each participant that has one")
		case !named:
			o.Pool = text
		case o.Files[name] != "":
			return fault.New(fmt.Sprintf("--data: %s has two files", name), "give each participant one")
		default:
			o.Files[name] = file
		}
	}
	if o.Trials < 0 || o.Rows < 0 || o.LeastGain < 0 || o.LeastGain >= 1 || o.Latency < 0 {
		return fault.New("--trials, --rows, --latency: below 0, or --least-gain not in [0, 1)", "leave them out, or give positive values")
	}
	return nil
}

// policyFiles are those given, or those of participants that lie beside the spec.
func policyFiles(s *spec.Spec, path string, given []string) (all []rehearse.PolicyFile) {
	for _, text := range given {
		name, file, named := strings.Cut(text, "=")
		if !named {
			file, name = text, strings.TrimSuffix(filepath.Base(text), ".policy.yaml")
			if s.Number(name) < 0 {
				name = ""
			}
		}
		all = append(all, rehearse.PolicyFile{Participant: name, Path: file})
	}
	if len(given) > 0 {
		return all
	}
	for _, p := range s.Participants {
		file := filepath.Join(filepath.Dir(path), p.Name+".policy.yaml")
		if _, err := os.Stat(file); err == nil || !errors.Is(err, fs.ErrNotExist) {
			all = append(all, rehearse.PolicyFile{Participant: p.Name, Path: file})
		}
	}
	return all
}

// rehearsalContext follows accountants: for a participant nothing is kept unless the flag says so.
func rehearsalContext(cmd *cobra.Command, s *spec.Spec, cache form.Cache) (context.Context, error) {
	if !s.Federated() {
		return cache.Watched(cmd.Context(), cmd.ErrOrStderr())
	}
	watch, err := cache.Plain(cmd.Context(), cmd.ErrOrStderr())
	return experiment.Watching(cmd.Context(), watch), err
}

func runRehearsal(cmd *cobra.Command, s *spec.Spec, o rehearse.Options, out string, cache form.Cache) error {
	stderr := cmd.ErrOrStderr()
	live := terminal.NewLiveLine(stderr)
	o.Say = func(what string) {
		live.Wipe()
		fmt.Fprintln(stderr, what)
	}
	o.Progress = func(done, total int) {
		live.Count(done, total, func() string { return fmt.Sprintf("%d of %d trials", done, total) })
	}
	ctx, err := rehearsalContext(cmd, s, cache)
	if err != nil {
		return err
	}
	r, err := form.Within(ctx, func() (*rehearse.Rehearsal, error) { return rehearse.Run(ctx, s, o) })
	live.Wipe()
	if err != nil {
		return err
	}
	page, err := writeRehearsal(r, out)
	if err != nil {
		return err
	}
	if wantJSON(cmd) {
		return printJSON(cmd, r)
	}
	if err := r.Print(cmd.OutOrStdout()); err != nil || page == "" {
		return err
	}
	fmt.Fprintf(cmd.OutOrStdout(), "\nThe page is %s\n", page)
	return nil
}

// writeRehearsal writes the page, and into a folder the numbers beside it.
func writeRehearsal(r *rehearse.Rehearsal, out string) (page string, err error) {
	const hint = "choose a folder you may write to, with space left"
	switch {
	case out == "":
		return "", nil
	case strings.EqualFold(filepath.Ext(out), ".html"):
		page = out
	default:
		if err := os.MkdirAll(out, 0o755); err != nil {
			return "", fault.Wrap(err, "cannot make the output folder", hint)
		}
		page = filepath.Join(out, "rehearsal.html")
		numbers := func(w io.Writer) error {
			encoder := json.NewEncoder(w)
			encoder.SetIndent("", "  ")
			return encoder.Encode(r)
		}
		if err := regular.Write(filepath.Join(out, "rehearsal.json"), 0o644, numbers); err != nil {
			return "", fault.Wrap(err, "cannot write rehearsal.json", hint)
		}
	}
	if err := regular.Write(page, 0o644, r.WritePage); err != nil {
		return "", fault.Wrap(err, "cannot write "+page, hint)
	}
	return page, nil
}
