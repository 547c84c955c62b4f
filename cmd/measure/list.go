package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/yamltext"
)

// listFile is the list of all measurements.
const listFile = "bench/measurements.yaml"

// A List holds all measurements, in the order of the table.
type List struct {
	Sittings []Sitting `yaml:"sittings"`
}

// A Sitting is a group of runs that are measured together. The runs take turns, Times times, so that a machine that becomes
// slower meanwhile is slower for all of them. A sitting with Sizes is a curve. Its runs contain {n} and go up the sizes until
// one takes longer than Limit.
type Sitting struct {
	Name  string   `yaml:"name"`
	Times int      `yaml:"times"` // 0: 6, the fewest runs whose median has an interval at 95 %
	Runs  []Run    `yaml:"runs"`
	Rows  []Row    `yaml:"rows"`
	Code  []string `yaml:"code"` // folders (their Go and assembly files without tests) and files on which the numbers depend

	Sizes  []int    `yaml:"sizes"`
	Limit  Duration `yaml:"limit"`  // of one size
	Curve  string   `yaml:"curve"`  // name of the curve in the legend
	Value  string   `yaml:"value"`  // benchmark and unit of the curve, with {n}
	Theory Theory   `yaml:"theory"` // growth of its cost
}

// A Run is a program to run: benchmarks of a package, a command line that prints benchmarks, or a command line whose own time
// and memory are measured.
type Run struct {
	Package string `yaml:"package"` // ./sim
	Bench   string `yaml:"bench"`   // WalkHouses, as for -bench, but the whole name
	For     string `yaml:"for"`     // 20x or 1s, as -benchtime takes it
	CPU     int    `yaml:"cpu"`     // processors that Go may use; 0: 1

	Command string `yaml:"command"` // a line for the shell; hearsay is the program of this tree
	As      string `yaml:"as"`      // benchmark name of the command's own time and memory
}

// A Row is a row of the table: a measured value and the value with which it is compared. Values are a benchmark and a unit, such
// as "WalkHouses hops/s".
type Row struct {
	What   string `yaml:"what"`
	Value  string `yaml:"value"`
	Beside string `yaml:"beside"` // "": no comparison
	Than   string `yaml:"than"`   // description of Beside
}

// A Theory is the power of n with which a cost grows, and its reason in words.
type Theory struct {
	Power float64 `yaml:"power"`
	Says  string  `yaml:"says"`
}

// A Duration is a time.Duration that is written as text, such as 20s.
type Duration time.Duration

// UnmarshalYAML parses text such as 20s or 2m.
func (d *Duration) UnmarshalYAML(unmarshal func(any) error) error {
	var text string
	if err := unmarshal(&text); err != nil {
		return err
	}
	parsed, err := time.ParseDuration(text)
	*d = Duration(parsed)
	return err
}

// read reads the list of the repository at top.
func read(top string) (*List, error) {
	path := filepath.Join(top, listFile)
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return parse(text)
}

// parse parses a list and sets its defaults. It returns an error if a sitting is not complete or two have one name.
func parse(text []byte) (*List, error) {
	var l List
	doc, err := yamltext.NewDocument(text, len(text), listFile)
	if err != nil {
		return nil, err
	}
	if err := doc.Decode(&l); err != nil {
		return nil, fault.New(err.Error(), "bench/README.md explains its keys")
	}
	names := map[string]bool{}
	for k := range l.Sittings {
		s := &l.Sittings[k]
		if s.Times == 0 {
			s.Times = 6
		}
		for j := range s.Runs {
			s.Runs[j].CPU = max(1, s.Runs[j].CPU)
		}
		if wrong := s.wrong(); wrong != "" || names[s.Name] {
			return nil, fault.New(fmt.Sprintf("%s: sitting %q: %s", listFile, s.Name, cmpOr(wrong, "another has this name")), "bench/README.md explains its keys")
		}
		names[s.Name] = true
	}
	return &l, nil
}

func cmpOr(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// wrong describes the first setting that a sitting lacks. It returns "" if the sitting is complete.
func (s *Sitting) wrong() string {
	switch {
	case s.Name == "" || strings.ContainsAny(s.Name, " \t:"):
		return "it needs a name of one word"
	case len(s.Runs) == 0 || len(s.Code) == 0:
		return "it needs runs, and code that they depend on"
	case len(s.Sizes) > 0 && (s.Limit <= 0 || s.Curve == "" || s.Value == ""):
		return "a curve needs sizes, limit, curve and value"
	case len(s.Sizes) == 0 && len(s.Rows) == 0:
		return "it needs rows or sizes"
	}
	for _, r := range s.Runs {
		if (r.Package == "") == (r.Command == "") || r.Package != "" && (r.Bench == "" || r.For == "") {
			return "each run needs package, bench and for, or a command"
		}
	}
	for _, r := range s.Rows {
		if r.What == "" || !strings.Contains(r.Value, " ") || (r.Beside == "") != (r.Than == "") {
			return "each row needs what and value, and both or none of beside and than"
		}
	}
	return ""
}

// choose returns the sittings with these names, or all sittings if names is empty. It returns an error if a name is unknown.
func (l *List) choose(names []string) ([]Sitting, error) {
	if len(names) == 0 {
		return l.Sittings, nil
	}
	var chosen []Sitting
next:
	for _, name := range names {
		for _, s := range l.Sittings {
			if s.Name == name {
				chosen = append(chosen, s)
				continue next
			}
		}
		return nil, fault.New(fmt.Sprintf("nothing is called %q", name), "go run ./cmd/measure -list says what there is")
	}
	return chosen, nil
}

// said returns the command line of a run.
func (r Run) said() string {
	if r.Command != "" {
		return r.Command
	}
	return fmt.Sprintf("go test %s -run '^$' -bench '%s' -benchtime %s -cpu %d", r.Package, r.pattern(), r.For, r.CPU)
}

// pattern returns the -bench pattern that matches the whole name of the benchmark, level by level. The first level has no "^",
// because "Benchmark" stands before its name.
func (r Run) pattern() string {
	levels := strings.Split(r.Bench, "/")
	for k, level := range levels {
		levels[k] = "^" + level + "$"
	}
	return strings.TrimPrefix(strings.Join(levels, "/"), "^")
}

// at returns the run of size n of a curve.
func (r Run) at(n int) Run {
	r.Bench, r.Command, r.As = sized(r.Bench, n), sized(r.Command, n), sized(r.As, n)
	return r
}

func sized(text string, n int) string { return strings.ReplaceAll(text, "{n}", fmt.Sprint(n)) }
