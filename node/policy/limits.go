package policy

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
)

// policy checks the document's values and sets defaults for missing ones.
func (d *document) policy() (*Policy, error) {
	p := unlimited()
	for _, limit := range []limit{
		{key: "delta", given: d.Delta, into: &p.Delta, must: true, high: 1, open: true},
		{key: "epsilon.neighbours", given: d.Epsilon.Neighbours, into: &p.Neighbours, must: true, high: math.Inf(1)},
		{key: "epsilon.others", given: d.Epsilon.Others, into: &p.Others, must: true, high: math.Inf(1)},
		{key: "epsilon.public", given: d.Epsilon.Public, into: &p.Public, high: math.Inf(1)},
		{key: "epsilon.deviators", given: d.Epsilon.Deviators, into: &p.Deviators, high: math.Inf(1)},
		{key: "least.sigma", given: d.Least.Sigma, into: &p.Sigma, high: math.MaxFloat64},
		{key: "longest.hours", given: d.Longest.Hours, into: &p.Hours, high: math.Inf(1)},
	} {
		if err := limit.read(); err != nil {
			return nil, err
		}
	}
	if err := whole("longest.turns", d.Longest.Turns, &p.Turns); err != nil {
		return nil, err
	}
	if err := whole("longest.contributions", d.Longest.Contributions, &p.Contributions); err != nil {
		return nil, err
	}
	if err := d.unit(&p); err != nil {
		return nil, err
	}
	if err := d.models(&p); err != nil {
		return nil, err
	}
	if err := d.total(&p); err != nil {
		return nil, err
	}
	if err := d.named(&p); err != nil {
		return nil, err
	}
	return &p, d.coalitions(&p)
}

// named reads the limits towards named participants.
func (d *document) named(p *Policy) error {
	for _, name := range slices.Sorted(maps.Keys(d.Epsilon.Named)) {
		epsilon := d.Epsilon.Named[name]
		to := Loss{Towards: name}
		if err := (limit{key: "epsilon.named." + name, given: &epsilon, into: &to.Epsilon, high: math.Inf(1)}).read(); err != nil {
			return err
		}
		p.Named = append(p.Named, to)
	}
	return nil
}

// unit reads the unit of the limits.
func (d *document) unit(p *Policy) error {
	if d.Unit == nil {
		return nil
	}
	switch p.Unit = privacy.Unit(*d.Unit); p.Unit {
	case privacy.Participant, privacy.Record:
		return nil
	}
	return fault.New(fmt.Sprintf("unit: %q is not known", *d.Unit), "use participant or record")
}

// A limit is a number of the document and its destination.
type limit struct {
	key   string
	given *float64
	into  *float64
	must  bool    // required
	high  float64 // upper end of the range from 0
	open  bool    // the ends of the range are excluded
}

func (l limit) read() error {
	if l.given == nil {
		if l.must {
			return fault.New(l.key+": is missing", "say it; .inf means that there is no limit to an epsilon")
		}
		return nil
	}
	x := *l.given
	if !(x >= 0 && x <= l.high) || l.open && (x == 0 || x == l.high) {
		hint := "it must be 0 or more"
		if l.open {
			hint = fmt.Sprintf("it must lie between 0 and %g", l.high)
		}
		return fault.New(fmt.Sprintf("%s: %g is out of range", l.key, x), hint)
	}
	*l.into = x
	return nil
}

// whole reads a count, if one is given. A missing or infinite count sets no limit.
func whole(key string, given *float64, into *int64) error {
	if given == nil || math.IsInf(*given, 1) {
		return nil
	}
	if x := *given; !(x >= 0 && x <= 1e15) || x != math.Trunc(x) {
		return fault.New(fmt.Sprintf("%s: %g is not a whole number from 0 to 10^15", key, x), "leave it out where there is no limit")
	}
	*into = int64(*given)
	return nil
}

func (d *document) models(p *Policy) error {
	for _, list := range []struct {
		key, hint string
		given     *[]string
		into      *[]string
	}{
		{"models", "name the models that are accepted, or leave the key out for any", d.Models, &p.Models},
		{"programs", "name this participant's own programs that compute each row's gradient from that row alone, or leave the key out", d.Programs, &p.Programs},
	} {
		if list.given == nil {
			continue
		}
		if len(*list.given) == 0 || slices.Contains(*list.given, "") {
			return fault.New(list.key+": a name is missing", list.hint)
		}
		*list.into = *list.given
	}
	return nil
}

func (d *document) coalitions(p *Policy) error {
	for i, c := range d.Epsilon.Coalitions {
		key := fmt.Sprintf("epsilon.coalitions[%d]", i)
		var size, epsilon float64
		for _, l := range []limit{
			{key: key + ".size", given: c.Size, into: &size, must: true, high: math.MaxInt32},
			{key: key + ".epsilon", given: c.Epsilon, into: &epsilon, must: true, high: math.Inf(1)},
		} {
			if err := l.read(); err != nil {
				return err
			}
		}
		if size < 1 || size != math.Trunc(size) {
			return fault.New(fmt.Sprintf("%s.size: %g is not a number of nodes", key, size), "give a whole number from 1")
		}
		p.Coalitions = append(p.Coalitions, Coalition{Size: int(size), Epsilon: epsilon})
	}
	slices.SortFunc(p.Coalitions, func(a, b Coalition) int { return cmp.Compare(a.Size, b.Size) })
	for i := 1; i < len(p.Coalitions); i++ {
		if p.Coalitions[i].Size == p.Coalitions[i-1].Size {
			return fault.New(fmt.Sprintf("epsilon.coalitions: size %d has two limits", p.Coalitions[i].Size), "keep one of them")
		}
	}
	return nil
}
