package assembly

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/hearsay-dp/hearsay/internal/textfile"
	"github.com/hearsay-dp/hearsay/internal/visible"
	"github.com/hearsay-dp/hearsay/spec"
)

// A Status describes the progress of a federation and the next steps.
type Status struct {
	Title        string   `json:"title"`
	ID           ID       `json:"federation"`
	From         string   `json:"invited_by"`
	Self         string   `json:"self,omitempty"`
	Terms        string   `json:"terms"` // summary in one line
	Participants []Member `json:"participants"`
	Silent       []string `json:"not_accepted"`
	Unsigned     []string `json:"not_signed"`
	Complete     bool     `json:"complete"`
	Hash         *ID      `json:"spec,omitempty"` // nil until all have accepted
	Words        []string `json:"words,omitempty"`
	Alike        string   `json:"alike,omitempty"`   // a sentence on names that look alike
	Problem      string   `json:"problem,omitempty"` // reason why the acceptances lead to no spec
	Next         []string `json:"next"`

	record   string // name of a record
	external bool   // a program of each participant computes the model
}

// A Member holds the known facts about a participant.
type Member struct {
	Name      string   `json:"name"`
	Accepted  bool     `json:"accepted"`
	Key       string   `json:"key,omitempty"`
	Addresses []string `json:"addresses,omitempty"`
	Rows      int      `json:"rows,omitempty"`
	Signed    bool     `json:"signed"`
	Other     *ID      `json:"signed_another,omitempty"` // hash in its signature, if that is of another spec or of other acceptances
}

// Own describes the participant that uses the folder, and its files.
type Own struct {
	Name   string            `json:"name"`
	Key    string            `json:"key,omitempty"`    // its key file
	Data   string            `json:"data,omitempty"`   // its CSV file
	Table  textfile.Notation `json:"table,omitzero"`   // notation of that file, if not the spec's
	Model  string            `json:"model,omitempty"`  // program that computes an external model
	Policy string            `json:"policy,omitempty"` // its policy, if not beside the key
	Signed string            `json:"signed,omitempty"` // hash of the spec that it signed last
	Folder string            `json:"folder,omitempty"` // folder with federation.txt

	WeighRows bool `json:"weigh_rows,omitempty"` // for the participant that invites: weigh_rows follows from the numbers of rows
}

// Status returns the progress. hash is that of the spec, nil until all have accepted. own is nil
// for a reader who takes no part.
func (g *Gathering) Status(hash *ID, own *Own) *Status {
	s := &Status{Title: g.draft.Title(), ID: g.ID, From: g.Invitation.From, Terms: outline(g.draft), Hash: hash, Silent: []string{}, Unsigned: []string{},
		Alike: visible.AlikeNote(g.Invitation.Names), record: g.draft.RecordWord(), external: g.draft.External()}
	for _, name := range g.Invitation.Names {
		m := Member{Name: name}
		if a := g.Accepted(name); a != nil {
			m.Accepted, m.Key, m.Addresses, m.Rows = true, a.Key.String(), a.Addresses, a.Rows
		} else {
			s.Silent = append(s.Silent, name)
		}
		if signed := g.latest(name); signed != nil && hash != nil {
			m.Signed = signed.Spec == *hash && g.current(name) != nil
			if !m.Signed {
				m.Other = &signed.Spec
			}
		}
		if !m.Signed {
			s.Unsigned = append(s.Unsigned, name)
		}
		s.Participants = append(s.Participants, m)
	}
	if hash != nil {
		s.Words, s.Complete = Words(*hash), len(s.Unsigned) == 0
	}
	if own != nil {
		s.Self = own.Name
	}
	s.Next = s.next(own)
	return s
}

// outline summarises the terms in one line.
func outline(s *spec.Spec) string {
	model := s.Model.Kind
	if s.External() {
		model = fmt.Sprintf("%s, which a program of each participant computes", s.Model.Name)
	}
	text := fmt.Sprintf("%s, model %s, on %s; ", s.Algorithm.Kind, model, s.Graph)
	if e := s.Model.Earlier; e != nil {
		text += fmt.Sprintf("it begins with numbers that are given as a model of the run with spec %.12s...; ", strings.TrimPrefix(e.Spec, "sha256:"))
	}
	text += fmt.Sprintf("protected is %s", map[bool]string{true: s.OneRecord(), false: "all data of a participant"}[s.Records()])
	switch {
	case s.Privacy.Sigma != nil:
		text += fmt.Sprintf(", by noise of %g times the clip", *s.Privacy.Sigma)
	case s.Privacy.Calibrate.Max != 0:
		text += fmt.Sprintf(", at epsilon %g at most", s.Privacy.Calibrate.Max)
	}
	if s.Privacy.Metric.Delta != 0 {
		text += fmt.Sprintf(" (delta %g)", s.Privacy.Metric.Delta)
	}
	if f := s.Federation; len(f.Relays) > 0 {
		text += "; relays, which see sizes, times and addresses: " + strings.Join(f.Relays, ", ")
	}
	return text
}

// Print writes the status as text.
func (s *Status) Print(w io.Writer) error {
	fmt.Fprintf(w, "%q, to which %s invites (federation %.16s)\n%s\n\n", s.Title, s.From, s.ID, s.Terms)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "participant\taccepted\t%ss\tsigned\tkey\n", s.record)
	for _, m := range s.Participants {
		rows, signed := "", "no"
		switch {
		case m.Signed:
			signed = "yes"
		case m.Other != nil && s.Hash != nil && *m.Other == *s.Hash:
			signed = "with other acceptances"
		case m.Other != nil:
			signed = "another spec"
		}
		if m.Rows > 0 {
			rows = fmt.Sprint(m.Rows)
		}
		accepted := "no"
		if m.Accepted {
			accepted = "yes"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", m.Name, accepted, rows, signed, m.Key)
	}
	t.Flush()
	if len(s.Words) > 0 {
		fmt.Fprintln(w, "\nThe spec in words. Read them to each other on the telephone: they are the same only if the specs are.")
		for _, line := range s.Words {
			fmt.Fprintln(w, "   ", line)
		}
	}
	if s.Alike != "" {
		fmt.Fprintln(w, "\nwarning: "+s.Alike)
	}
	if s.Problem != "" {
		fmt.Fprintln(w, "\nNo spec comes of this: "+s.Problem)
	}
	fmt.Fprintln(w, "\nNext:")
	for _, line := range s.Next {
		fmt.Fprintln(w, "  - "+line)
	}
	return nil
}
