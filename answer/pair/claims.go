package pair

import (
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/regular"
	"github.com/hearsay-dp/hearsay/internal/terminal"
	"github.com/hearsay-dp/hearsay/internal/textfile"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/spec"
)

// The verdicts on a claim.
const (
	Proved  = "proved"  // a sound bound is at most the claim
	Refuted = "refuted" // an attack attains more than the claim
	Open    = "open"    // neither
)

// A Claimed is a claim that an observer learns at most epsilon at delta about a node, with its verdict.
type Claimed struct {
	Line     int           `json:"line"` // in the file, from 1
	About    string        `json:"about"`
	Observer string        `json:"observer"`
	Epsilon  float64       `json:"epsilon"`
	Delta    float64       `json:"delta"`
	Verdict  string        `json:"verdict"`
	Sound    report.Number `json:"sound"` // the least sound bound; null if there is none
	By       string        `json:"by"`    // the accountant of that bound
	Attacked report.Number `json:"attacked"`
	Attack   string        `json:"attack"` // the attack with the largest loss; "": none was made

	u, v int
}

// A ClaimsQuestion holds the settings of `hearsay privacy claims`.
type ClaimsQuestion struct {
	Set        []string
	Cache      form.Cache
	Runs       int // of the black-box attack, for claims that are otherwise open; 0: none
	Confidence float64
}

// A ClaimsAnswer is the JSON answer of `hearsay privacy claims`.
type ClaimsAnswer struct {
	Unit    string    `json:"unit"`
	Sigma   float64   `json:"sigma"`
	Proved  int       `json:"proved"`
	Refuted int       `json:"refuted"`
	Open    int       `json:"open"`
	Claims  []Claimed `json:"claims"`
}

// Ask checks the claims in file against the spec at path. It returns an error if a claim is refuted.
func (f *ClaimsQuestion) Ask(ask form.Asker, path, file string) error {
	if f.Runs < 0 || !(f.Confidence > 0 && f.Confidence < 1) {
		return fault.New(fmt.Sprintf("--runs %d, --confidence %g", f.Runs, f.Confidence), "give 0 runs or more, and a confidence such as 0.99")
	}
	claims, err := readClaims(file)
	if err != nil {
		return err
	}
	ctx, err := f.Cache.Watched(ask.Context, ask.Stderr)
	if err != nil {
		return err
	}
	answer, err := f.judge(ctx, ask, path, claims)
	if err != nil {
		return err
	}
	if err := ask.Show(answer); err != nil {
		return err
	}
	if answer.Refuted > 0 {
		return fault.New(fmt.Sprintf("%d of %d claims are refuted", answer.Refuted, len(claims)), "the attack beside each learns more than it says")
	}
	return nil
}

// judge prices the spec at every claimed delta and sets the verdicts. The noise is the one that the spec has at its own delta.
func (f *ClaimsQuestion) judge(ctx context.Context, ask form.Asker, path string, claims []Claimed) (*ClaimsAnswer, error) {
	s, err := form.LoadSpec(ask.Context, path, f.Set...)
	if err != nil {
		return nil, err
	}
	own, err := experiment.OpenForPairs(ctx, s, func(what string) { ask.Say(what) })
	if err != nil {
		return nil, err
	}
	for i := range claims {
		c := &claims[i]
		if c.u, err = own.Find(c.About); err == nil {
			c.v, err = own.Find(c.Observer)
		}
		if err == nil && c.u == c.v {
			err = fault.New(c.About+" about itself", "name two nodes")
		}
		if err != nil {
			return nil, fault.Wrap(err, fmt.Sprintf("claim in line %d", c.Line), fault.Hint(err))
		}
	}
	answer := &ClaimsAnswer{Unit: s.Privacy.Unit, Sigma: own.Accounting.Sigma}
	order := make([]int, len(claims))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(claims[a].Delta, claims[b].Delta) })
	var priced *experiment.Priced
	for k, i := range order {
		c := &claims[i]
		if k == 0 || c.Delta != claims[order[k-1]].Delta {
			if priced, err = at(ctx, ask, own, c.Delta); err != nil {
				return nil, err
			}
		}
		c.hold(priced.Accounting.Accounts)
		if c.Verdict == Open && f.Runs > 0 {
			if err := f.attack(ctx, ask, priced, c, len(claims)); err != nil {
				return nil, err
			}
		}
	}
	for _, c := range claims {
		*map[string]*int{Proved: &answer.Proved, Refuted: &answer.Refuted, Open: &answer.Open}[c.Verdict]++
	}
	answer.Claims = claims
	return answer, nil
}

// at prices the run at delta with every sound accountant. The noise is that of own.
func at(ctx context.Context, ask form.Asker, own *experiment.Priced, delta float64) (*experiment.Priced, error) {
	s := *own.Spec
	s.Privacy.Sigma, s.Privacy.Calibrate, s.Privacy.Accountant, s.Privacy.Metric = &own.Accounting.Sigma, nil, spec.Sound, spec.Metric{Delta: delta}
	return experiment.Prepare(ctx, &s, func(what string) { ask.Say(fmt.Sprintf("%s, at delta %g", what, delta)) })
}

// hold sets the claim's least sound bound and its largest attained loss from accounts, and the verdict that follows.
func (c *Claimed) hold(accounts []family.Account) {
	c.Verdict, c.Sound, c.Attacked = Open, report.Number(math.NaN()), report.Number(math.NaN())
	for i := range accounts {
		a := &accounts[i]
		if a.At == nil {
			continue
		}
		loss := report.Number(a.Bound(c.u, c.v))
		switch {
		case math.IsNaN(float64(loss)):
		case a.Status == report.Sound && !(float64(c.Sound) <= float64(loss)):
			c.Sound, c.By = loss, a.Accountant
		case a.Status == report.Audit && !(float64(c.Attacked) >= float64(loss)):
			c.Attacked, c.Attack = loss, a.Accountant
		}
	}
	c.verdict()
}

// verdict sets the verdict from the two losses. It leaves the verdict if neither settles the claim.
func (c *Claimed) verdict() {
	switch {
	case float64(c.Attacked) > c.Epsilon:
		c.Verdict = Refuted
	case float64(c.Sound) <= c.Epsilon:
		c.Verdict = Proved
	}
}

// attack audits a claim with the black-box attack. The confidence is divided over claims (a union bound), so that all attacks
// together err with probability at most 1 - f.Confidence.
func (f *ClaimsQuestion) attack(ctx context.Context, ask form.Asker, priced *experiment.Priced, c *Claimed, claims int) error {
	live := terminal.NewLiveLine(ask.Stderr)
	defer live.Wipe()
	found, err := priced.Audit(ctx, c.u, c.v, f.Runs, 1-(1-f.Confidence)/float64(claims), live.Runs)
	if err != nil {
		return err
	}
	if loss := found.Audit.Loss; !(float64(c.Attacked) >= float64(loss)) {
		c.Attacked, c.Attack = loss, "black box"
	}
	c.verdict()
	return nil
}

// mostClaims is the largest number of claims in a file.
const mostClaims = 100_000

// readClaims reads a table of claims: columns u (or about), v (or observer), epsilon and delta.
func readClaims(path string) ([]Claimed, error) {
	file, err := regular.Open(path)
	if err != nil {
		return nil, fault.Wrap(err, "cannot read the claims", "give a CSV file with the columns u, v, epsilon and delta")
	}
	defer file.Close()
	return parseClaims(regular.Limited(file), path)
}

func parseClaims(from io.Reader, path string) ([]Claimed, error) {
	in := csv.NewReader(textfile.NewReader(from, path))
	in.TrimLeadingSpace = true
	head, err := in.Read()
	if err != nil {
		return nil, claimsError(path, err)
	}
	at := map[string]int{}
	for i, name := range head {
		name = strings.ToLower(strings.TrimSpace(name))
		at[cmp.Or(map[string]string{"about": "u", "observer": "v", "eps": "epsilon"}[name], name)] = i
	}
	for _, name := range []string{"u", "v", "epsilon", "delta"} {
		if _, there := at[name]; !there {
			return nil, fault.New(fmt.Sprintf("%s has no column %q", path, name), "give a CSV file with the columns u (whose data), v (who observes), epsilon and delta")
		}
	}
	var claims []Claimed
	for {
		row, err := in.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, claimsError(path, err)
		}
		line, _ := in.FieldPos(0)
		c := Claimed{Line: line, About: strings.TrimSpace(row[at["u"]]), Observer: strings.TrimSpace(row[at["v"]])}
		var wrong [2]error
		c.Epsilon, wrong[0] = strconv.ParseFloat(strings.TrimSpace(row[at["epsilon"]]), 64)
		c.Delta, wrong[1] = strconv.ParseFloat(strings.TrimSpace(row[at["delta"]]), 64)
		if wrong[0] != nil || wrong[1] != nil || !(c.Epsilon >= 0) || math.IsInf(c.Epsilon, 1) || !(c.Delta > 0 && c.Delta < 1) {
			return nil, fault.New(fmt.Sprintf("%s line %d: epsilon %.40q, delta %.40q", path, line, row[at["epsilon"]], row[at["delta"]]), "give an epsilon of 0 or more, and a delta between 0 and 1")
		}
		if claims = append(claims, c); len(claims) > mostClaims {
			return nil, fault.New(fmt.Sprintf("%s has more than %d claims", path, mostClaims), "ask about fewer at once")
		}
	}
	if len(claims) == 0 {
		return nil, fault.New(path+" has no claim", "give a line for each: u, v, epsilon, delta")
	}
	return claims, nil
}

func claimsError(path string, err error) error {
	return fault.Wrap(err, path+" is no table of claims", "give a CSV file with the columns u, v, epsilon and delta")
}

// Print implements form.Printer.
func (a *ClaimsAnswer) Print(w io.Writer) error {
	fmt.Fprintf(w, "%d claims about a %s at noise multiplier %s: %d proved, %d refuted, %d open\n\n", len(a.Claims), a.Unit, report.Upwards(a.Sigma, 4), a.Proved, a.Refuted, a.Open)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "line\tabout\tobserver\tclaimed\tdelta\tverdict\tat most (sound)\tat least (attack)")
	for _, c := range a.Claims {
		fmt.Fprintf(t, "%d\t%s\t%s\t%g\t%g\t%s\t%s\t%s\n", c.Line, c.About, c.Observer, c.Epsilon, c.Delta, c.Verdict, said(c.Sound, report.Sound, c.By), said(c.Attacked, report.Audit, c.Attack))
	}
	return t.Flush()
}

func said(loss report.Number, status report.Status, by string) string {
	if math.IsNaN(float64(loss)) {
		return "–"
	}
	return fmt.Sprintf("%s (%s)", report.Loss(float64(loss), status), by)
}
