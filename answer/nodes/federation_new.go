package nodes

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/answer/tables"
	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/federation/assembly"
	"github.com/hearsay-dp/hearsay/internal/regular"
	"github.com/hearsay-dp/hearsay/internal/textfile"
	"github.com/hearsay-dp/hearsay/spec"
)

// A TermsQuestion holds the terms of a new federation.
type TermsQuestion struct {
	As, Key, From, Title, Target, Record string
	Data, Person                         string            // the inviter's table, on which the terms are tried; the column of persons
	Table                                textfile.Notation // how Data is written
	PersonRows                           int               // largest number of rows of a person
	Classes, Ranges, Categories, Set     []string
	Fill                                 []string // COLUMN=VALUE
	Relays, Without, With                []string
	Earlier                              string   // model file with which the run begins
	names                                []string // of the participants, where they are known
	Epsilon                              float64
	Steps                                int
}

// ordinary holds the default terms, those of examples/hospitals. Flags override them.
const ordinary = `name: a federation
data: {source: csv, scale: ranges, normalise: none, test: 0.2}
model: {kind: logistic, intercept: true}
algorithm: {kind: gossip-gd, gossip_steps: 4, steps: 20, step_size: 0.7, clip: 1}
privacy: {unit: record, accountant: local, calibrate: {max: 1}, metric: {epsilon_at_delta: 1.0e-6}}
`

// ends are settings with which no node waits for ever. Terms have them unless their spec is of a real run.
var ends = []string{"federation.deadline=48h", "federation.silence=1h"}

// terms returns the text of the terms, and the spec that they make while no participant has accepted.
func (t *TermsQuestion) terms() (text []byte, draft *spec.Spec, err error) {
	base, name := []byte(ordinary), "terms"
	if t.From != "" {
		name = t.From
		if base, err = regular.Read(t.From, spec.Largest); err != nil {
			return nil, nil, fault.Wrap(err, "cannot read the spec", "give a spec with --from, or leave it out")
		}
	}
	set, err := t.settings()
	if err != nil {
		return nil, nil, err
	}
	simulated, err := spec.Simulated(base)
	if err != nil {
		return nil, nil, err
	}
	if simulated {
		set = slices.Concat(ends, set)
	}
	if text, err = experiment.Kinds().Terms(base, name, set...); err != nil {
		return nil, nil, err
	}
	names := t.names
	if names == nil {
		names = []string{t.As, t.As + "-2"}
	}
	draft, err = assembly.Draft(text, names)
	if err != nil && t.From == "" && (t.Target == "" || len(t.Ranges)+len(t.Categories) == 0) {
		return nil, nil, t.incomplete(err)
	}
	return text, draft, err
}

// settings returns the flags as key=value settings of the spec, those of --set last.
func (t *TermsQuestion) settings() (set []string, err error) {
	for _, s := range []struct {
		key   string
		given bool
		value any
	}{
		{"name", t.Title != "", t.Title},
		{"data.target", t.Target != "", t.Target},
		{"data.classes", t.Classes != nil, t.Classes},
		{"data.person", t.Person != "", t.Person},
		{"data.rows_per_person", t.PersonRows != 0, t.PersonRows},
		{"privacy.record_name", t.Record != "", t.Record},
		{"privacy.calibrate", t.Epsilon != 0, map[string]float64{"max": t.Epsilon}},
		{"algorithm.steps", t.Steps != 0, t.Steps},
		{"federation.relays", t.Relays != nil, t.Relays},
	} {
		if s.given {
			set = append(set, s.key+"="+asYAML(s.value))
		}
	}
	ranges, err := tables.ColumnValues(t.Ranges)
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
	lists, err := tables.ColumnLists(t.Categories)
	if err != nil {
		return nil, err
	}
	for column, values := range lists {
		set = append(set, fmt.Sprintf("data.categories.%s=%s", quotedKey(column), asYAML(values)))
	}
	filled, err := tables.ColumnValues(t.Fill)
	if err != nil {
		return nil, fault.Wrap(err, "--fill", fault.Hint(err))
	}
	for column, value := range filled {
		set = append(set, fmt.Sprintf("data.fill.%s=%s", quotedKey(column), asYAML(value)))
	}
	slices.Sort(set)
	return append(set, t.Set...), nil
}

// quotedKey returns a column as a key of a setting. A setting takes the text between the quotes literally.
func quotedKey(column string) string { return `"` + column + `"` }

// asYAML writes a value as JSON, which YAML holds.
func asYAML(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic("hearsay: " + err.Error()) // texts and numbers
	}
	return string(text)
}

// begunFederation is the answer of `hearsay federation new`.
type begunFederation struct {
	Folder string `json:"folder"`
	As     string `json:"as"`
	Terms  string `json:"terms"`
}

// Print writes the terms, their file and the next command.
func (b begunFederation) Print(w io.Writer) error {
	_, err := fmt.Fprintf(w, "%s\nThese are the terms, in %s/%s. Next: hearsay federation invite %s NAME...\n", b.Terms, b.Folder, assembly.TermsFile, b.Folder)
	return err
}

// Begin writes the terms of a new federation, and the folder and key of who invites.
func (flags *TermsQuestion) Begin(ask form.Asker, path string) error {
	if err := flags.known(ask); err != nil {
		return err
	}
	terms, draft, err := flags.terms()
	if err == nil && flags.Earlier != "" {
		if err = flags.goOn(ask.Context, draft); err == nil {
			terms, draft, err = flags.terms()
		}
	}
	if err != nil {
		return err
	}
	weigh := flags.From == "" && draft.Records() && draft.Algorithm.WeighRows == 0
	if flags.Data != "" {
		if err := flags.try(ask.Stderr, draft); err != nil {
			return err
		}
	}
	folder, err := assembly.NewFolder(path, assembly.Own{Name: flags.As, Key: flags.Key, WeighRows: weigh})
	if err != nil {
		return err
	}
	if _, err := ownKey(folder.Own.Key); err != nil {
		return err
	}
	if err := folder.Write(assembly.TermsFile, terms); err != nil {
		return err
	}
	if flags.names != nil {
		g, err := folder.Invite(ask.Context, flags.names)
		if err != nil {
			return err
		}
		return standing(ask, folder, g)
	}
	return ask.Show(begunFederation{path, flags.As, string(terms)})
}
