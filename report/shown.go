package report

import "fmt"

// Shown is the summary of a result in the words and with the rounding of its page, for display
// elsewhere.
type Shown struct {
	Figures  []Figure  `json:"figures"`
	Measure  string    `json:"measure,omitempty"` // of Worth; "": nothing was compared
	Worth    []Worth   `json:"worth"`             // models of the same kind from other sources
	Verdict  string    `json:"verdict,omitempty"` // a sentence on whether joining is worthwhile; "": not known
	Accounts []Account `json:"accounts"`          // the calibrated accountant first
	Loss     string    `json:"loss"`              // the losses with their metric
	Symbol   string    `json:"symbol"`
	Protects string    `json:"protects"` // a sentence on the unit of privacy; "": not given
	Warnings []string  `json:"warnings"` // to be read beside the numbers
}

// Worth is the score of one way to obtain a model.
type Worth struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	Own   string `json:"own,omitempty"` // on a participant's own rows; "": not known
	Note  string `json:"note"`
}

// An Account is one accountant's summary as text. Each number is rounded to the side on which
// it stays true, with its relation to the loss (≤ for a bound).
type Account struct {
	Name        string   `json:"name"`
	Status      Status   `json:"status"`
	Meaning     string   `json:"meaning"` // of the status
	Mean        string   `json:"mean"`
	Max         string   `json:"max"`
	Beyond      string   `json:"beyond"` // "–": there are no non-neighbours
	Assumptions []string `json:"assumptions"`
}

// Show returns the summary of a result.
func Show(r *Result) Shown {
	p := &r.Privacy
	s := Shown{Figures: figures(r), Verdict: verdict(r), Loss: lossName(*p), Symbol: lossSymbol(*p), Protects: p.protects()}
	s.Worth = worth(r)
	if r.Baselines != nil {
		s.Measure = r.Baselines.Measure
	}
	for _, a := range p.All() {
		s.Accounts = append(s.Accounts, a.shown())
	}
	if p.Public != nil {
		s.Accounts = append(s.Accounts, p.Public.shown())
	}
	s.Warnings = p.warnings()
	return s
}

func (a Accounted) shown() Account {
	said := func(x Number, s Status) string { return relation(s) + " " + bound(float64(x), s) }
	v := Account{Name: a.Accountant, Status: a.Status, Meaning: meaning(a.Status), Mean: said(a.Mean, a.meanStatus()) + a.MeanNote(),
		Max: said(a.Max, a.Status), Beyond: a.Beyond(), Assumptions: a.Assumptions}
	if a.MaxBeyondNeighbours != nil {
		v.Beyond = said(*a.MaxBeyondNeighbours, a.Status)
	}
	return v
}

// protects describes the difference between neighbouring data sets.
func (p *Privacy) protects() string {
	switch one := p.OneRecord(); {
	case p.Unit == "":
		return ""
	case one != "":
		return fmt.Sprintf("Protected is %s: the loss compares runs that differ in it alone, replaced by any other.", one)
	}
	return fmt.Sprintf("Protected is the whole of one %s’s data: the loss compares runs in which all of it is replaced.", p.Unit)
}

// warnings returns the warnings for a reader of the losses.
func (p *Privacy) warnings() (list []string) {
	if said := unguarded(p); said != "" && len(p.All()) > 0 {
		list = append(list, said)
	}
	if p.Simulated {
		list = append(list, "Simulated noise is not release noise: it was drawn from a seed, so whoever knows the seed can subtract it.")
	}
	if said := p.CoversModel(); said != "" {
		list = append(list, said)
	}
	if said := p.Begins(); said != "" {
		list = append(list, said)
	}
	if taken := p.TakenAsPublic(); taken != "" {
		list = append(list, "Taken for granted: "+taken+".")
	}
	return list
}

// Bound formats a loss, rounded to the side on which it stays true, with its relation.
func Bound(loss float64, s Status) string { return relation(s) + " " + bound(loss, s) }

// Palette returns the colours of losses, from small to large, in CSS notation.
func Palette() []string { return hexes(colourMap()) }

// Range returns the smallest positive and the largest finite loss, the ends of the colour
// scale. It returns 0, 0 if there is none.
func Range(losses []float64) (low, high float64) { return positiveRange(losses) }

// FileNames returns the names of all files that a result can have in its folder.
func FileNames() []string { return append([]string{}, fileNames...) }

// Best returns the leading account: the sound one with the smallest mean, or else the first.
// It returns nil if there is none.
func Best(p *Privacy) *Accounted {
	if best := bestSound(p); best != nil {
		return best
	}
	if all := p.All(); len(all) > 0 {
		return &all[0]
	}
	return nil
}

// ShownOf returns an accountant's summary as text.
func ShownOf(a Accounted) Account { return a.shown() }
