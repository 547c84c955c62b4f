package federation

import (
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/federation/budget"
	"github.com/hearsay-dp/hearsay/node/ledger"
	"github.com/hearsay-dp/hearsay/node/policy"
)

// A Purse says in which budget book, and under which names, the runs of a participant are charged.
type Purse struct {
	Book    string        // file of the budget book (budget.Beside); "": none is known
	DataSet string        // the owner's name for the rows; "": the name in the line, or none
	Table   ledger.Digest // fingerprint of the table, zero if not known yet

	Instead string // hash of a spec signed earlier that this one replaces; "": none
	Signing bool   // the owner signs now, so an existing signature does not prove an earlier charge
}

// Charged holds the end of the book after a charge, and the book's totals of other runs. Others is nil
// if no book is known.
type Charged struct {
	Mark   ledger.Mark
	Others *OtherRuns
}

// Charge checks the plan, together with the other runs on the same rows, against the policy, and charges the whole
// plan. A spec that the participant signed is charged once. Without a book Charge only checks the plan. A policy that
// limits the total needs a book.
func (f *Federation) Charge(p *Plan, own *policy.Policy, from Purse, now time.Time) (Charged, error) {
	return f.charge(p, own, from, nil, now)
}

// Weigh checks the plan, together with the other runs on the same rows, against the policy, and charges nothing.
// A missing book counts as empty. Weigh returns the totals of the other runs with this one, and the refusal as error.
func (f *Federation) Weigh(p *Plan, own *policy.Policy, from Purse) (others *OtherRuns, err error) {
	line := f.line(p, from, time.Time{})
	look := func(b *budget.Book) error {
		at, err := b.Place(line.Spec, "")
		if err != nil {
			return err
		}
		refusal := cmp.Or(f.checkEarlier(b, own), p.weigh(b, own, from.DataSet, at))
		others = beside(&line, p.others, own)
		return refusal
	}
	if !budget.Exists(from.Book) {
		err = look(&budget.Book{})
		return others, err
	}
	_, err = f.withBook(from, look)
	return others, err
}

// charge does the work of Charge for a run whose ledger is given. run is nil if there is no ledger
// yet.
func (f *Federation) charge(p *Plan, own *policy.Policy, from Purse, run *ledger.Ledger, now time.Time) (done Charged, err error) {
	if from.Book == "" {
		if own.Total != nil {
			return done, fault.New("the policy limits the total of all runs, and no budget book is known", "give the key's file: its book lies beside it")
		}
		if f.Spec.Model.Earlier != nil {
			return done, fault.New("the run begins with an earlier model, and no budget book is known that says what that model has told of these rows", "give the key's file: its book lies beside it")
		}
		return done, p.Refusal(p.Objections(own))
	}
	line := f.line(p, from, now)
	var seen ledger.Mark
	if run != nil {
		owner := run.Federation()
		line.Ledger, line.State, seen = hex.EncodeToString(owner.Ledger[:]), budget.Begun, owner.Book
	}
	done.Mark, err = f.withBook(from, func(b *budget.Book) error {
		if from.Instead != "" && from.Instead != line.Spec {
			if err := b.Withdraw(from.Instead, now); err != nil {
				return err
			}
		}
		at, err := b.Place(line.Spec, line.Ledger)
		if err != nil {
			return err
		}
		if at < 0 || b.Lines[at].Ledger == "" {
			if err := b.Remembers(seen); err != nil {
				return err
			}
		}
		if at < 0 && run == nil && !from.Signing {
			if err := f.chargedWhenSigned(b, from.Book); err != nil {
				return err
			}
		}
		if err := cmp.Or(f.checkEarlier(b, own), p.weigh(b, own, from.DataSet, at)); err != nil {
			return err
		}
		done.Others = beside(&line, p.others, own)
		return b.Charge(line, at, now)
	})
	return done, err
}

// withBook opens the book, calls do, closes the book, and returns where the book ends.
func (f *Federation) withBook(from Purse, do func(*budget.Book) error) (end ledger.Mark, err error) {
	b, err := budget.Open(from.Book, f.Peer().String())
	if err != nil {
		return end, err
	}
	err = do(b)
	return b.Mark(), errors.Join(err, b.Close())
}

func (f *Federation) hash() string { return fmt.Sprintf("%x", f.Hash) }

// line returns the plan as a line of the book.
func (f *Federation) line(p *Plan, from Purse, now time.Time) budget.Line {
	one, all := p.Cost()
	l := budget.Line{Federation: f.Spec.Title(), Participant: f.Name(), Spec: f.hash(), Signed: now.UTC(), DataSet: from.DataSet, Unit: p.unit(), Status: p.Status, State: budget.Signed,
		Model: p.ModelCharged, Allowed: p.Contributions, One: one, All: all}
	if from.Table != (ledger.Digest{}) {
		l.Table = hex.EncodeToString(from.Table[:])
	}
	return l
}

// chargedWhenSigned returns an error if the participant has signed this federation and the book has no
// charge for it.
func (f *Federation) chargedWhenSigned(b *budget.Book, path string) error {
	if _, signed := f.Spec.Signatures[f.Name()]; !signed || b.Knows(f.hash()) {
		return nil
	}
	return fault.New(fmt.Sprintf("budget book %s does not know this federation, which %s has signed: the book was lost, or an older copy was brought back", path, f.Name()),
		"bring back the later one; or sign again (hearsay federation sign), which charges it anew, and hearsay budget settle FOLDER of each other node's folder")
}

// weigh checks the plan together with the runs of the book against the policy. at is the line of the
// plan itself; -1: none.
func (p *Plan) weigh(b *budget.Book, own *policy.Policy, dataSet string, at int) error {
	if dataSet == "" && at >= 0 {
		dataSet = b.Lines[at].DataSet
	}
	p.others = b.Standing(dataSet, since(own), at)
	return p.Refusal(p.Objections(own))
}

// since returns the time from which the policy counts runs; zero: it counts all.
func since(own *policy.Policy) (from time.Time) {
	if own.Total != nil {
		from = own.Total.Since
	}
	return from
}

// total returns the epsilon at delta towards one participant of each run, all of them together,
// this run included.
func (p *Plan) total(delta float64) float64 {
	return budget.Sum(p.others.One, p.costOfOne()).At(delta)
}
