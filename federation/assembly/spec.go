package assembly

import (
	"context"
	"fmt"
	"strings"

	"github.com/hearsay-dp/hearsay/dataset"
	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/federation"
	"github.com/hearsay-dp/hearsay/internal/textfile"
	"github.com/hearsay-dp/hearsay/spec"
)

// Spec returns the spec as text with the signatures of this hash. Participants have the order of
// the invitation. It is an error if one of them has not accepted.
func (g *Gathering) Spec(hash ID) ([]byte, error) {
	if silent := g.Silent(); len(silent) > 0 {
		return nil, fault.New(fmt.Sprintf("%d of %d have not accepted yet: %s", len(silent), len(g.Invitation.Names), some(silent)),
			"send them federation.txt, and add what they answer")
	}
	a := spec.Assembly{Invitation: g.ID.String(), Signatures: map[string]string{}}
	largest := 0
	for _, name := range g.Invitation.Names {
		own := g.Accepted(name)
		largest = max(largest, own.Rows)
		a.Participants = append(a.Participants, spec.Participant{Name: name, Key: own.Key.String(), Addresses: own.Addresses, Rows: own.Rows})
		if s := g.current(name); s != nil && s.Spec == hash {
			a.Signatures[name] = s.Of.String()
		}
	}
	if g.Invitation.WeighRows {
		a.WeighRows = weighRows(g.draft, largest)
	}
	text, err := spec.Assemble([]byte(g.Invitation.Terms), a)
	if err != nil {
		return nil, err
	}
	return append([]byte(fmt.Sprintf("# Assembled by hearsay federation from what %d participants have accepted. All sign its hash: do not edit it.\n", len(a.Participants))), text...), nil
}

// Open opens the spec as the first participant.
func (g *Gathering) Open(ctx context.Context) (*federation.Federation, error) {
	return g.OpenAs(ctx, g.Invitation.Names[0])
}

// OpenAs opens the spec as one participant.
func (g *Gathering) OpenAs(ctx context.Context, name string) (*federation.Federation, error) {
	text, err := g.Spec(ID{})
	if err != nil {
		return nil, err
	}
	s, err := experiment.Parse(text, "the assembled spec")
	if err != nil {
		return nil, err
	}
	return federation.Open(ctx, s, name)
}

// Rows returns the number of records in a participant's file. The file must have all columns that
// the terms name.
func (g *Gathering) Rows(path string, written textfile.Notation) (int, error) {
	return rowsOf(g.draft, path, written)
}

func rowsOf(draft *spec.Spec, path string, written textfile.Notation) (int, error) {
	shard, err := Try(draft, path, written)
	if err != nil {
		return 0, err
	}
	return shard.Records(), nil
}

// Try reads a participant's file as the terms of the draft say. All rows become training rows.
func Try(draft *spec.Spec, path string, written textfile.Notation) (*dataset.Shard, error) {
	shape := experiment.PublicShape(draft)
	shape.Notation = written.Or(shape.Notation)
	return shape.OpenShard(path, 0, draft.Seed, 0)
}

// weighRows returns the number of training rows of a participant with largest records.
func weighRows(draft *spec.Spec, largest int) int {
	return draft.RecordRows() * dataset.Learnt(largest, draft.Data.Test.Share)
}

// Draft returns the spec of the terms with placeholders for the data of participants.
func (g *Gathering) Draft() *spec.Spec { return g.draft }

// Records reports whether the unit is one record. The number of records of a participant is then
// public.
func (g *Gathering) Records() bool { return g.draft.Records() }

// some joins names with commas. Beyond twelve names it gives the number of the rest.
func some(names []string) string {
	const most = 12
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}
