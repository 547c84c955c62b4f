package rehearse

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/node/identity"
	"github.com/hearsay-dp/hearsay/spec"
)

// A Help is one way to make joining worthwhile, rehearsed step by step until someone gains.
type Help struct {
	Way   string   `json:"way"`
	Tried []string `json:"tried"` // up to the first that helps
	Helps bool     `json:"helps"` // whether the last one tried gives a participant the answer yes
	Yes   int      `json:"yes"`   // number of participants whose answer is then yes
}

// most is the largest epsilon that is tried. moreRows is the factor for the number of rows.
const (
	most     = 10
	moreRows = 4
)

// A trying is one change of a spec and of the options.
type trying struct {
	name   string
	change func(s *spec.Spec, o *Options)
}

// help rehearses changes that might help if no participant gains: larger losses, more rows if they are made up, more
// participants, and records as the unit. A spec that was changed is
// read again, and a change that is then refused is noted and not tried.
func (r *Rehearsal) help(ctx context.Context, s *spec.Spec, o *Options) error {
	for _, way := range []struct {
		name  string
		tries []trying
	}{{"larger losses", largerLosses(s)}, {"more rows of each", moreOfEach(s, o)}, {"more participants", twiceAsMany(s, o)}, {"another unit", narrower(s, o)}} {
		h := Help{Way: way.name}
		for _, try := range way.tries {
			changed, options := clone(s), *o
			options.WhatWouldHelp = false
			try.change(changed, &options)
			o.Say("what would help? rehearsing " + try.name)
			changed, err := again(changed)
			if err != nil {
				r.Notes = append(r.Notes, fmt.Sprintf("It could not be tried whether %s would help: %v.", try.name, err))
				continue
			}
			found, err := Run(ctx, changed, options)
			if err != nil {
				return err
			}
			h.Tried, h.Yes = append(h.Tried, try.name), found.count(Yes)
			if h.Helps = h.Yes > 0; h.Helps {
				break
			}
		}
		if len(h.Tried) > 0 {
			r.Help = append(r.Help, h)
		}
	}
	return nil
}

// again reads the text of a changed spec, which checks it.
func again(s *spec.Spec) (*spec.Spec, error) {
	text, err := s.YAML()
	if err != nil {
		return nil, err
	}
	return experiment.Parse(text, "the changed spec")
}

// clone copies the parts of a spec that are changed.
func clone(s *spec.Spec) *spec.Spec {
	c := *s
	if s.Privacy.Calibrate != nil {
		calibrate := *s.Privacy.Calibrate
		c.Privacy.Calibrate = &calibrate
	}
	c.Participants = slices.Clone(s.Participants)
	return &c
}

// largerLosses multiplies the target losses of a spec by 2, 4 and 8, or divides its noise by them. It returns nothing
// if the spec has neither.
func largerLosses(s *spec.Spec) (tries []trying) {
	for _, times := range []float64{2, 4, 8} {
		switch c := s.Privacy.Calibrate; {
		case c != nil && (c.Mean > 0 || c.Max > 0 || c.Beyond > 0) && times*c.Target() <= most:
			tries = append(tries, trying{fmt.Sprintf("a loss of %.3g instead of %.3g", times*c.Target(), c.Target()), func(s *spec.Spec, _ *Options) {
				c := s.Privacy.Calibrate
				c.Mean, c.Max, c.Beyond = times*c.Mean, times*c.Max, times*c.Beyond
			}})
		case c == nil && s.Privacy.Sigma != nil && *s.Privacy.Sigma > 0:
			sigma := *s.Privacy.Sigma / times
			tries = append(tries, trying{fmt.Sprintf("a noise multiplier of %.3g instead of %.3g", sigma, *s.Privacy.Sigma), func(s *spec.Spec, _ *Options) { s.Privacy.Sigma = &sigma }})
		}
	}
	return tries
}

// moreOfEach gives participants more rows if all rows are made up.
func moreOfEach(s *spec.Spec, o *Options) []trying {
	if !s.Federated() || len(o.Files) > 0 || o.Pool != "" {
		return nil
	}
	return []trying{{fmt.Sprintf("%d times the rows of each", moreRows), func(s *spec.Spec, o *Options) {
		for i := range s.Participants {
			s.Participants[i].Rows *= moreRows
		}
		if o.Rows == 0 {
			o.Rows = usualRows
		}
		o.Rows *= moreRows
	}}}
}

// twiceAsMany adds a participant for each one that is there, with as many rows and without a file, if the graph is a
// generator that is told the number of nodes. The rows of a pool would only be shared out among more.
func twiceAsMany(s *spec.Spec, o *Options) []trying {
	n := len(s.Participants)
	graph := strings.Replace(s.Graph, fmt.Sprintf(":%d", n), fmt.Sprintf(":%d", 2*n), 1)
	if n == 0 || graph == s.Graph || o.Pool != "" {
		return nil
	}
	return []trying{{fmt.Sprintf("%d participants instead of %d", 2*n, n), func(s *spec.Spec, _ *Options) {
		for _, p := range s.Participants {
			p.Name = fmt.Sprintf("%.50s-another", p.Name)
			p.Key = identity.Nobody(p.Name).String()
			s.Participants = append(s.Participants, p)
		}
		s.Graph, s.Nodes, s.Signatures = graph, len(s.Participants), nil
	}}}
}

// narrower protects one record of a participant instead of all of them, if rows are made up: the number of rows is then public, and
// files would have to hold as many as the spec says.
func narrower(s *spec.Spec, o *Options) []trying {
	if !s.Federated() || s.Records() || len(o.Files) > 0 || o.Pool != "" {
		return nil
	}
	return []trying{{"one record as the unit that is protected, and not all rows of a participant", func(s *spec.Spec, _ *Options) {
		s.Privacy.Unit, s.Algorithm.Fill = spec.UnitRecord, false
		for i := range s.Participants {
			s.Participants[i].Rows = cmp.Or(s.Participants[i].Rows, o.Rows, usualRows)
		}
	}}}
}

// helped describes the changes that would help, and those that would not.
func (r *Rehearsal) helped(asked bool) string {
	if !asked {
		return "--what-would-help looks for it, by rehearsals of its own."
	}
	var sentences, not []string
	for _, h := range r.Help {
		last := len(h.Tried) - 1
		if h.Helps {
			sentences, last = append(sentences, fmt.Sprintf("With %s it would be worth it for %d.", h.Tried[last], h.Yes)), last-1
		}
		not = append(not, h.Tried[:last+1]...)
	}
	if len(not) > 0 {
		sentences = append(sentences, "Not a yes for anybody: "+strings.Join(not, "; ")+".")
	}
	return strings.Join(sentences, " ")
}
