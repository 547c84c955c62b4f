package federation

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/node/ledger"
	"github.com/hearsay-dp/hearsay/step"
)

// uses counts the uses of data in releases. A value sent to several neighbours counts once, also if
// it is sent again in another epoch. m contributions sent as one value count m times, because they
// have m sensitivities against the noise of m draws.
type uses struct {
	f       *Federation
	nominal float64 // with which noise is drawn
	most    map[use]float64
	known   map[released]use
	total   float64   // sum of most
	late    int       // steps charged with the local loss, because others went on without them
	settled bool      // no other step is
	last    step.Turn // of the last use
	sent    step.Turn // of the last value that this participant made, contribution or not
}

// A use identifies a use of data by epoch, lane and turn.
type use struct {
	epoch uint64
	Taking
}

// released identifies a released value by lane, turn and digest.
type released struct {
	Taking
	body ledger.Digest
}

func (f *Federation) newUses() *uses {
	return &uses{f: f, nominal: f.nominal(), most: map[use]float64{}, known: map[released]use{}, last: -1, sent: -1}
}

// add counts a release of an epoch, if it is a contribution of this participant.
func (u *uses) add(epoch uint64, r ledger.Release) {
	if own := r.From == u.f.Self; own && r.To == r.From && u.f.mostLate() > 0 {
		if u.settled = u.settled || !r.Contributed; r.Contributed {
			u.late++
		}
		return
	} else if !own {
		return
	}
	if u.sent = max(u.sent, r.Turn); !r.Contributed {
		return
	}
	at := use{epoch, Taking{r.Lane, r.Turn}}
	this := released{at.Taking, r.Body}
	if first, again := u.known[this]; again {
		at = first
	}
	if r.Body != (ledger.Digest{}) { // a zero digest means that the value was not sent
		u.known[this] = at
	}
	u.last = max(u.last, at.Turn)
	ratio := u.nominal * u.f.share(r.Turn) / r.Multiplier()
	if more := float64(ratio*ratio) - u.most[at]; more > 0 {
		u.most[at] += more
		u.total += more
	}
}

// count returns the number of uses of data, rounded up with a relative tolerance of 1e-6.
func (u *uses) count() int { return int(math.Ceil(u.total - float64(1e-6*u.total))) }

// lates returns the number of steps whose values may have come late. Until a run has ended the last ones count as late.
func (u *uses) lates() int {
	if u.settled {
		return u.late
	}
	return min(u.f.mostLate(), u.late+u.count())
}

// usesOf counts the uses of data in a ledger.
func (f *Federation) usesOf(l *ledger.Ledger) (*uses, error) {
	u := f.newUses()
	for row, err := range l.Show() {
		if err != nil {
			return nil, err
		}
		u.add(row.Epoch, row.Release)
	}
	return u, nil
}

// gate returns a check that refuses an entry with which the ledger would hold more than limit uses
// of data. limit comes from the plan that the policy has accepted. A machine keeps to its cap by
// itself, and this check does not rely on that. After a refusal the node stops.
func (u *uses) gate(limit int) func(e *ledger.Entry) error {
	return func(e *ledger.Entry) error {
		if len(e.Releases) == 0 {
			return nil
		}
		for _, r := range e.Releases {
			u.add(e.Epoch, r)
		}
		if count := u.count(); count > limit {
			return fault.New(fmt.Sprintf("turn %d is refused: with it this participant would have used its data %d times, and %d are what was accepted",
				e.Releases[0].Turn, count, limit), "nothing of the turn has left; the ledger holds what was spent. Report this: a machine keeps to its cap by itself")
		}
		if most := u.f.mostLate(); u.late > most {
			return fault.New(fmt.Sprintf("turn %d is refused: values of %d steps came late, and %d are what was accepted", e.Releases[0].Turn, u.late, most), "report this: a machine contributes no more after the first")
		}
		return nil
	}
}
