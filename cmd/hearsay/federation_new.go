package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/federation/assembly"
	"github.com/hearsay-dp/hearsay/internal/regular"
	"github.com/hearsay-dp/hearsay/spec"
)

// termsFlags are what a federation is about.
type termsFlags struct {
	as, key, from, title, target, record string
	classes, ranges, categories, set     []string
	relays                               []string
	epsilon                              float64
	steps                                int
}

// ordinary are the terms that flags go over: those of examples/hospitals.
const ordinary = `name: a federation
data: {source: csv, scale: ranges, normalise: none, test: 0.2}
model: {kind: logistic, intercept: true}
algorithm: {kind: gossip-gd, gossip_steps: 4, steps: 20, step_size: 0.7, clip: 1}
privacy: {unit: record, accountant: local, calibrate: {max: 1}, metric: {epsilon_at_delta: 1.0e-6}}
federation: {deadline: 48h, silence: 1h}
`

func newFederationNew() *cobra.Command {
	var flags termsFlags
	cmd := &cobra.Command{
		Use:   "new FOLDER",
		Short: "Begin a federation: its terms, and the folder and key of who invites",
		Long: "New writes the terms that others are going to be invited to into FOLDER/terms.yaml:\n" +
			"what is learnt from which columns, how, and at which privacy loss. Without --from\n" +
			"each row is protected at epsilon 1 towards all others together, and a logistic\n" +
			"model is learnt by gradient steps and averaging. With --from they are those of a\n" +
			"spec, without its participants. Ranges, classes and categories are public: they\n" +
			"say what is known in general, not what is in anybody's file.",
		Example: "  hearsay federation new heart --as lyon --title \"four hospitals\" --target num --classes healthy,ill --range age=35:75 --range chol=0:400\n" +
			"  hearsay federation new heart --as lyon --from examples/hospitals/spec.yaml",
		Args: argument("folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			terms, weigh, err := flags.terms()
			if err != nil {
				return err
			}
			folder, err := assembly.NewFolder(args[0], assembly.Own{Name: flags.as, Key: flags.key, WeighRows: weigh})
			if err != nil {
				return err
			}
			if _, err := ownKey(folder.Own.Key); err != nil {
				return err
			}
			if err := folder.Write(assembly.TermsFile, terms); err != nil {
				return err
			}
			return answering(func() (begunFederation, error) {
				return begunFederation{args[0], flags.as, string(terms)}, nil
			})(cmd, nil)
		},
	}
	f := cmd.Flags()
	f.StringVar(&flags.as, "as", "", "the name of the participant who invites")
	f.StringVar(&flags.key, "key", "", "its key file, made if need be (default NAME.key in the folder)")
	f.StringVar(&flags.from, "from", "", "a spec whose terms are taken")
	f.StringVar(&flags.title, "title", "", "what the federation is called")
	f.StringVar(&flags.target, "target", "", "the column to predict")
	f.StringSliceVar(&flags.classes, "classes", nil, "its labels; of two the positive one last")
	f.StringArrayVar(&flags.ranges, "range", nil, "a column of numbers with its public range, as in age=35:75; once a column")
	f.StringArrayVar(&flags.categories, "categories", nil, "a text column with its public values, as in sex=f,m; once a column")
	f.StringArrayVar(&flags.relays, "relay", nil, "a relay through which participants without addresses reach each other, with its /p2p/ id (hearsay relay); repeatable")
	f.StringVar(&flags.record, "record", "", "what a row is, such as patient")
	f.Float64Var(&flags.epsilon, "epsilon", 0, "largest loss of a row towards all others together (default 1)")
	f.IntVar(&flags.steps, "steps", 0, "noisy steps of each participant (default 20)")
	settings(cmd, &flags.set)
	mustHave(cmd, "as")
	return cmd
}

// terms are the text, and whether weigh_rows is left to the numbers of rows.
func (t *termsFlags) terms() (text []byte, weigh bool, err error) {
	base, name := []byte(ordinary), "terms"
	if t.from != "" {
		name = t.from
		if base, err = regular.Read(t.from, spec.Largest); err != nil {
			return nil, false, fault.Wrap(err, "cannot read the spec", "give a spec with --from, or leave it out")
		}
	}
	set, err := t.settings()
	if err != nil {
		return nil, false, err
	}
	if text, err = experiment.Kinds().Terms(base, name, set...); err != nil {
		return nil, false, err
	}
	draft, err := assembly.Draft(text, []string{t.as, t.as + "-2"})
	if err != nil && t.from == "" && (t.target == "" || len(t.ranges)+len(t.categories) == 0) {
		return nil, false, fault.Wrap(err, "the terms are not complete", "say what to predict from what: --target, --classes, --range and --categories, or --from a spec")
	}
	if err != nil {
		return nil, false, err
	}
	return text, t.from == "" && draft.Records() && draft.Algorithm.WeighRows == 0, nil
}

// settings are the flags as values over the spec.
func (t *termsFlags) settings() (set []string, err error) {
	for _, s := range []struct {
		key   string
		given bool
		value any
	}{
		{"name", t.title != "", t.title},
		{"data.target", t.target != "", t.target},
		{"data.classes", t.classes != nil, t.classes},
		{"privacy.record_name", t.record != "", t.record},
		{"privacy.calibrate", t.epsilon != 0, map[string]float64{"max": t.epsilon}},
		{"algorithm.steps", t.steps != 0, t.steps},
		{"federation.relays", t.relays != nil, t.relays},
	} {
		if s.given {
			set = append(set, s.key+"="+asYAML(s.value))
		}
	}
	ranges, err := columnValues(t.ranges)
	if err != nil {
		return nil, fault.Wrap(err, "--range", "write COLUMN=LOW:HIGH, once for each column")
	}
	for column, value := range ranges {
		low, high, _ := strings.Cut(value, ":")
		_, bad1 := strconv.ParseFloat(low, 64)
		_, bad2 := strconv.ParseFloat(high, 64)
		if bad1 != nil || bad2 != nil {
			return nil, fault.New(fmt.Sprintf("--range %s=%s is not LOW:HIGH", column, value), "write --range age=35:75")
		}
		set = append(set, fmt.Sprintf("data.ranges.%s=[%s, %s]", quotedKey(column), low, high))
	}
	lists, err := columnLists(t.categories)
	if err != nil {
		return nil, err
	}
	for column, values := range lists {
		set = append(set, fmt.Sprintf("data.categories.%s=%s", quotedKey(column), asYAML(values)))
	}
	slices.Sort(set)
	return append(set, t.set...), nil
}

// quotedKey is a column as a key of a setting, which takes all between its quotes as it is.
func quotedKey(column string) string { return `"` + column + `"` }

// asYAML writes a value as JSON, which YAML holds.
func asYAML(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic("hearsay: " + err.Error()) // texts and numbers
	}
	return string(text)
}

// begunFederation is what new has to say.
type begunFederation struct {
	Folder string `json:"folder"`
	As     string `json:"as"`
	Terms  string `json:"terms"`
}

func (b begunFederation) Print(w io.Writer) error {
	_, err := fmt.Fprintf(w, "%s\nThese are the terms, in %s/%s. Next: hearsay federation invite %s NAME...\n", b.Terms, b.Folder, assembly.TermsFile, b.Folder)
	return err
}
