package design

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/regular"
	"github.com/hearsay-dp/hearsay/internal/yamltext"
	"github.com/hearsay-dp/hearsay/spec"
)

// Wishes describe what a consortium has and wants: its participants with their policies, who may exchange messages and
// share secrets with whom, the data and the model, and limits on the run.
type Wishes struct {
	Name         string         `yaml:"name"`
	Seed         uint64         `yaml:"seed"`
	Delta        float64        `yaml:"delta"`       // of all losses
	RecordName   string         `yaml:"record_name"` // a record's name, in a word such as patient
	Policy       *Policy        `yaml:"policy"`      // of every participant without one of its own
	Participants []Participant  `yaml:"participants"`
	Edges        Edges          `yaml:"edges"`   // over which messages may go
	Latency      time.Duration  `yaml:"latency"` // of a message over an edge that states none
	Secrets      string         `yaml:"secrets"` // who could share secrets: none | edges | anybody | FILE of pairs
	Absent       int            `yaml:"absent"`  // how many participants may miss a step while nobody waits for them
	Curator      string         `yaml:"curator"` // who is trusted with all rows; "": nobody
	Publish      *bool          `yaml:"publish"` // whether the public is shown the final model; left out: if a policy limits the loss to the public
	Data         map[string]any `yaml:"data"`    // as in a spec
	Model        map[string]any `yaml:"model"`   // as in a spec
	Goal         Goal           `yaml:"goal"`
	Limits       Limits         `yaml:"limits"`
	Federation   *Real          `yaml:"federation"` // nil: simulations do

	Dir string `yaml:"-"` // folder of the file, absolute
}

// A Participant is a holder of rows.
type Participant struct {
	Name   string  `yaml:"name"`
	Policy *Policy `yaml:"policy"` // nil: that of Wishes
}

// A Policy holds the largest losses that a participant accepts.
type Policy struct {
	Unit       string             `yaml:"unit"`       // participant | record; "": participant
	Each       *float64           `yaml:"each"`       // towards any other participant alone
	Coalitions []Coalition        `yaml:"coalitions"` // towards any so many others together
	Named      map[string]float64 `yaml:"named"`      // towards these participants alone
	Public     *float64           `yaml:"public"`     // towards the public, who sees the final model
}

// A Coalition is a limit towards so many participants together.
type Coalition struct {
	Size    int     `yaml:"size"`
	Epsilon float64 `yaml:"epsilon"`
}

// A Goal is the least utility that makes the run worth it.
type Goal struct {
	Balanced float64 `yaml:"balanced_accuracy"` // mean of the shares found of each class, of a classifier; 0: none
	Error    float64 `yaml:"error"`             // largest root mean squared error of a regression; 0: none
}

// Limits bound time and traffic of a run.
type Limits struct {
	Time      time.Duration `yaml:"time"`      // 0: none
	Messages  int           `yaml:"messages"`  // of all participants together; 0: none
	Megabytes float64       `yaml:"megabytes"` // 0: none
}

// Real asks for plans that real nodes run.
type Real struct {
	Data map[string]any `yaml:"data"` // keys in which the participants' tables differ from the rows to rehearse on
}

// Edges are the pairs that may exchange messages: a list of pairs, or a generator or file of a graph.
type Edges struct {
	Graph string
	List  []Edge
}

// An Edge is a pair of participants with the latency of a message between them.
type Edge struct {
	Between []string      `yaml:"between"`
	Latency time.Duration `yaml:"latency"` // 0: that of Wishes
}

// UnmarshalYAML implements the two forms.
func (e *Edges) UnmarshalYAML(unmarshal func(any) error) error {
	if unmarshal(&e.Graph) == nil {
		return nil
	}
	e.Graph = ""
	return unmarshal(&e.List)
}

// largest is the maximum size of a wishes file in bytes, and mostParticipants that of its list.
const (
	largest          = 1 << 20
	mostParticipants = 1000
)

const seeExample = "docs/DESIGN.md lists every key, and examples/design/hospitals.yaml is an example"

// Load reads and checks the wishes at path.
func Load(path string) (*Wishes, error) {
	text, err := regular.Read(path, largest)
	if err != nil {
		return nil, fault.Wrap(err, "cannot read the wishes", "give the path of a YAML file, such as examples/design/hospitals.yaml")
	}
	w, err := Parse(text, path)
	if err != nil {
		return nil, err
	}
	if w.Dir, err = filepath.Abs(filepath.Dir(path)); err != nil {
		return nil, err
	}
	return w, nil
}

// Parse reads and checks wishes. name names them in errors.
func Parse(text []byte, name string) (*Wishes, error) {
	doc, err := yamltext.NewDocument(text, largest, name)
	if err != nil {
		return nil, fault.New(err.Error(), seeExample)
	}
	w := &Wishes{Seed: 1, Delta: 1e-6, Secrets: noSecrets, Latency: 50 * time.Millisecond}
	if err := doc.Decode(w); err != nil {
		if key, unknown := yamltext.IsUnknown(err); unknown {
			return nil, fault.New(err.Error(), suggest(key))
		}
		return nil, fault.New(err.Error(), seeExample)
	}
	if err := cmp.Or(w.checkGiven(doc.Root()), w.checkParticipants(), w.checkEdges(), w.checkPolicies(), w.checkRest()); err != nil {
		return nil, &fault.Error{What: name + ": " + err.Error(), Hint: fault.Hint(err), Err: err}
	}
	return w, nil
}

// checkGiven refuses keys without a value, and those that are 0 where 0 is what stands for nothing: who wrote it means something else
// than who left it out.
func (w *Wishes) checkGiven(root *yamltext.Node) error {
	nothing := map[string]bool{wishTime: w.Limits.Time == 0, wishMessages: w.Limits.Messages == 0, wishMegabytes: w.Limits.Megabytes == 0,
		"goal.error": w.Goal.Error == 0, "goal.balanced_accuracy": w.Goal.Balanced == 0}
	for i, e := range w.Edges.List {
		nothing[fmt.Sprintf("edges[%d].latency", i)] = e.Latency == 0
	}
	var check func(n *yamltext.Node, path string) error
	check = func(n *yamltext.Node, path string) (err error) {
		switch {
		case n.Kind == yamltext.Null:
			return fault.New(path+": has no value", "take it out, or give a value, such as federation: {}")
		case nothing[path]:
			return fault.New(path+": is 0", "give more than 0, or take it out")
		case path == "data" || path == "model": // their keys are checked as those of a spec
			return nil
		}
		for _, k := range n.Keys {
			err = cmp.Or(err, check(k.Value, strings.TrimPrefix(path+"."+k.Name, ".")))
		}
		for i, item := range n.Items {
			err = cmp.Or(err, check(item, fmt.Sprintf("%s[%d]", path, i)))
		}
		return err
	}
	return check(root, "")
}

// printed reports whether a text is one printable line.
func printed(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) })
}

// Values of secrets besides a file.
const (
	noSecrets     = "none"
	edgeSecrets   = "edges"
	anyoneSecrets = "anybody"
)

func (w *Wishes) checkParticipants() error {
	if n := len(w.Participants); n < 2 || n > mostParticipants {
		return fault.New(fmt.Sprintf("participants: %d are listed", n), fmt.Sprintf("list 2 to %d, each with a name", mostParticipants))
	}
	seen := map[string]int{}
	for i, p := range w.Participants {
		if !spec.IsName(p.Name) {
			return fault.New(fmt.Sprintf("participants[%d].name: %q is not a name", i, p.Name), "use up to 63 letters, digits, dots, dashes and underscores")
		}
		if other, taken := seen[strings.ToLower(p.Name)]; taken {
			return fault.New(fmt.Sprintf("participants: %q is both number %d and number %d", p.Name, other, i), "give each participant its own name")
		}
		seen[strings.ToLower(p.Name)] = i
	}
	return nil
}

// number returns the place of a participant in the list, or -1.
func (w *Wishes) number(name string) int {
	return slices.IndexFunc(w.Participants, func(p Participant) bool { return p.Name == name })
}

func (w *Wishes) checkEdges() error {
	if w.Edges.Graph == "" && len(w.Edges.List) == 0 {
		return fault.New("edges: are missing", "give complete, a generator such as ring:4, a graph file, or pairs [{between: [A, B], latency: 20ms}]")
	}
	seen := map[[2]int]bool{}
	for i, e := range w.Edges.List {
		if len(e.Between) != 2 {
			return fault.New(fmt.Sprintf("edges[%d].between: names %d participants", i, len(e.Between)), "name two, such as [A, B]")
		}
		u, v := w.number(e.Between[0]), w.number(e.Between[1])
		for k, at := range []int{u, v} {
			if at < 0 {
				return fault.New(fmt.Sprintf("edges[%d].between: no participant is called %q", i, e.Between[k]), "name two of participants")
			}
		}
		if u > v {
			u, v = v, u
		}
		if u == v || seen[[2]int{u, v}] {
			return fault.New(fmt.Sprintf("edges[%d].between: %s and %s stand there twice", i, e.Between[0], e.Between[1]), "list each pair of two participants once")
		}
		if e.Latency < 0 || e.Latency > mostLatency {
			return fault.New(fmt.Sprintf("edges[%d].latency: %v is out of range", i, e.Latency), fmt.Sprintf("give 0s to %v", mostLatency))
		}
		seen[[2]int{u, v}] = true
	}
	return nil
}

const mostLatency = 24 * time.Hour

func (w *Wishes) checkPolicies() error {
	limited := false
	for i := range w.Participants {
		p := &w.Participants[i]
		if p.Policy == nil {
			p.Policy = w.Policy
		}
		if p.Policy == nil {
			return fault.New(fmt.Sprintf("participants: %s has no policy", p.Name), "give it one, or give policy at the top for all, such as policy: {each: 1}")
		}
		some, err := p.Policy.check(w, i)
		if err != nil {
			return &fault.Error{What: p.Name + ": policy." + err.Error(), Hint: fault.Hint(err), Err: err}
		}
		limited = limited || some
	}
	if !limited {
		return fault.New("policy: nobody limits anything, so that no noise is asked for", "give a finite limit, such as policy: {each: 1}")
	}
	return nil
}

// check refuses limits that nothing could mean. some reports whether a limit is finite.
func (p *Policy) check(w *Wishes, self int) (some bool, err error) {
	if p.Unit != "" {
		if err := spec.OneOf("unit", p.Unit, spec.UnitParticipant, spec.UnitRecord); err != nil {
			return false, err
		}
	}
	if p.Each == nil {
		return false, fault.New("each: is missing", "give the largest epsilon towards any one other; .inf means that there is no limit")
	}
	limits := map[string]float64{"each": *p.Each}
	if p.Public != nil {
		limits["public"] = *p.Public
	}
	sizes := map[int]bool{}
	for _, c := range p.Coalitions {
		key := fmt.Sprintf("coalitions of %d", c.Size)
		if c.Size < 2 || c.Size >= len(w.Participants) || sizes[c.Size] {
			return false, fault.New(key+": is no size, or stands there twice", fmt.Sprintf("give sizes from 2 to %d, each once", len(w.Participants)-1))
		}
		sizes[c.Size], limits[key] = true, c.Epsilon
	}
	for name, epsilon := range p.Named {
		if at := w.number(name); at < 0 || at == self {
			return false, fault.New(fmt.Sprintf("named: %q is no other participant", name), "name others as participants are listed")
		}
		limits["named."+name] = epsilon
	}
	for _, key := range slices.Sorted(maps.Keys(limits)) {
		if x := limits[key]; !(x > 0) || x > 1e6 && !math.IsInf(x, 1) {
			return false, fault.New(fmt.Sprintf("%s: %g is out of range", key, x), "give an epsilon above 0 and up to 1e6, or .inf for no limit")
		}
		some = some || !math.IsInf(limits[key], 1)
	}
	return some, nil
}

func (w *Wishes) checkRest() error {
	for _, wrong := range []struct {
		bad        bool
		what, hint string
	}{
		{!(w.Delta > 0 && w.Delta < 0.5), fmt.Sprintf("delta: %g is out of range", w.Delta), "give a number between 0 and 0.5, such as 1.0e-6"},
		{!printed(w.Name), fmt.Sprintf("name: %q is not one printable line", w.Name), "give a line of text"},
		{!printed(w.Curator), fmt.Sprintf("curator: %q is not one printable line", w.Curator), "give the name of who is trusted"},
		{w.number(w.Curator) >= 0, fmt.Sprintf("curator: %s is a participant, and policies limit what participants learn", w.Curator), "name somebody who takes no part, or leave curator out"},
		{w.Seed == 0 || w.Seed > 1<<53, fmt.Sprintf("seed: %d is out of range", w.Seed), "give a whole number from 1 to 2^53"},
		{w.Latency < 0 || w.Latency > mostLatency, fmt.Sprintf("latency: %v is out of range", w.Latency), fmt.Sprintf("give 0s to %v", mostLatency)},
		{w.Absent < 0 || w.Absent > len(w.Participants)-2, fmt.Sprintf("absent: %d is out of range", w.Absent), fmt.Sprintf("give 0 to %d: two participants at least take part in a step", len(w.Participants)-2)},
		{w.Data["source"] == nil, "data.source: is missing", "name rows to rehearse on as in a spec, such as data: {source: heart, scale: ranges, ...}"},
		{w.Data["validation"] != nil, "data.validation: is set by the search", "leave it out"},
		{w.Data["source"] == "external", "data.source: external, and no program is rehearsed here", "name another source"},
		{w.Limits.Time < 0 || w.Limits.Messages < 0 || !(w.Limits.Megabytes >= 0), "limits: are below 0", "give positive limits, or leave them out"},
		{w.Limits.Time > 0 && w.Limits.Time < time.Millisecond, fmt.Sprintf("limits.time: %v is out of range", w.Limits.Time), "give 1ms or more, such as 10m"},
		{!(w.Goal.Balanced >= 0 && w.Goal.Balanced < 1), fmt.Sprintf("goal.balanced_accuracy: %g is not in [0, 1)", w.Goal.Balanced), "give a mean of the shares found of each class, such as 0.75"},
		{!(w.Goal.Error >= 0) || w.Goal.Error > 0 && w.Goal.Balanced > 0, "goal.error: is below 0, or stands beside balanced_accuracy", "give one of error and balanced_accuracy"},
		{w.Publish != nil && !*w.Publish && w.publicLimited(), "publish: false, and a policy limits what the public learns", "leave publish or the limit out"},
	} {
		if wrong.bad {
			return fault.New(wrong.what, wrong.hint)
		}
	}
	return nil
}

// publicLimited reports whether a policy limits the loss to the public.
func (w *Wishes) publicLimited() bool {
	return slices.ContainsFunc(w.Participants, func(p Participant) bool { return p.Policy != nil && p.Policy.Public != nil })
}

// publishes reports whether the public is shown the final model.
func (w *Wishes) publishes() bool {
	if w.Publish != nil {
		return *w.Publish
	}
	return w.publicLimited()
}

// unit returns the unit that all policies accept. Losses of a participant bound those of its records.
func (w *Wishes) unit() string {
	for _, p := range w.Participants {
		if p.Policy.Unit != spec.UnitRecord {
			return spec.UnitParticipant
		}
	}
	return spec.UnitRecord
}

// suggest returns the hint for an unknown key: the nearest key, if one is near.
func suggest(unknown string) string {
	return cmp.Or(fault.DidYouMean(unknown, keys(reflect.TypeFor[Wishes](), nil)), "remove it;") + " " + seeExample
}

// keys adds all keys of a type to into.
func keys(t reflect.Type, into []string) []string {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return into
	}
	if t == reflect.TypeFor[Edges]() {
		t = reflect.TypeFor[Edge]()
	}
	for i := range t.NumField() {
		if key := t.Field(i).Tag.Get("yaml"); key != "" && key != "-" {
			into = keys(t.Field(i).Type, append(into, key))
		}
	}
	return into
}
