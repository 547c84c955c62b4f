package report

import "fmt"

// Shown is what a result comes to, in the words and with the rounding of its page, for
// whoever shows it in another place.
type Shown struct {
	Figures  []Figure  `json:"figures"`
	Measure  string    `json:"measure,omitempty"` // of Worth; "": nothing was compared
	Worth    []Worth   `json:"worth"`             // the same model made by others
	Verdict  string    `json:"verdict,omitempty"` // whether joining is worth it, in a sentence; "": not known
	Accounts []Account `json:"accounts"`          // the accountant that the run was calibrated by first
	Loss     string    `json:"loss"`              // what losses are, with their metric
	Symbol   string    `json:"symbol"`
	Protects string    `json:"protects"` // the unit of privacy, in a sentence; "": not said
	Warnings []string  `json:"warnings"` // what must be read beside the numbers
}

// Worth is how one way to a model does.
type Worth struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	Own   string `json:"own,omitempty"` // on a participant's own rows; "": not known
	Note  string `json:"note"`
}

// An Account is one accountant's summary: numbers as text, each rounded to the side on
// which it stays true and with its relation to the loss (≤ of a bound).
type Account struct {
	Name        string   `json:"name"`
	Status      Status   `json:"status"`
	Meaning     string   `json:"meaning"` // of the status
	Mean        string   `json:"mean"`
	Max         string   `json:"max"`
	Beyond      string   `json:"beyond"` // neighbours; "–": there are no such pairs
	Assumptions []string `json:"assumptions"`
}

// Show puts a result into words.
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

// protects says what neighbouring data sets differ in.
func (p *Privacy) protects() string {
	switch one := p.OneRecord(); {
	case p.Unit == "":
		return ""
	case one != "":
		return fmt.Sprintf("Protected is %s: the loss compares runs that differ in it alone, replaced by any other.", one)
	}
	return fmt.Sprintf("Protected is the whole of one %s’s data: the loss compares runs in which all of it is replaced.", p.Unit)
}

// warnings are what a reader of the losses must know too.
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
	if taken := p.TakenAsPublic(); taken != "" {
		list = append(list, "Taken for granted: "+taken+".")
	}
	return list
}

// Bound shortens a loss to the side on which it stays true, with its relation.
func Bound(loss float64, s Status) string { return relation(s) + " " + bound(loss, s) }

// Palette is the colours of losses, from small to large, as CSS writes them.
func Palette() []string { return hexes(colourMap()) }

// Range is the smallest positive and the largest finite of losses, between which their colours
// are; 0, 0 when there is none.
func Range(losses []float64) (low, high float64) { return positiveRange(losses) }

// FileNames are all the files that a result can have in its folder.
func FileNames() []string { return append([]string{}, fileNames...) }

// Best is the sound accountant with the smallest mean, the first one where none is sound,
// nil where there is none: what a reader should go by.
func Best(p *Privacy) *Accounted {
	if best := bestSound(p); best != nil {
		return best
	}
	if all := p.All(); len(all) > 0 {
		return &all[0]
	}
	return nil
}

// ShownOf is an accountant's summary as text.
func ShownOf(a Accounted) Account { return a.shown() }
