package rollcall

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/internal/drawntest"
	_ "github.com/hearsay-dp/hearsay/internal/draws"
	"github.com/hearsay-dp/hearsay/internal/state"
	"github.com/hearsay-dp/hearsay/step"
)

// certified is the largest number of nodes that liars and honest participants, whose votes are given by number, can put out.
func certified(r Rules, quorum int, honest []int) (out int) {
	for _, votes := range honest {
		if votes+r.Liars >= quorum {
			out++
		}
	}
	return out
}

// However honest participants vote, with liars who vote against everybody, at most so many are out as may be; with a quorum that is
// one vote smaller more can be.
func TestAtMostSoManyAreOut(t *testing.T) {
	for nodes := 3; nodes <= 7; nodes++ {
		for liars := range nodes {
			r := Rules{Nodes: nodes, Absent: 1, Liars: liars}
			most := 0
			var vote func(left int, honest []int)
			vote = func(left int, honest []int) {
				if left == 0 {
					if out := certified(r, r.Quorum(), honest); out > r.Absent {
						t.Fatalf("%+v: votes %v put %d out", r, honest, out)
					}
					most = max(most, certified(r, r.Quorum()-1, honest))
					return
				}
				for u := range honest {
					honest[u]++
					vote(left-1, honest)
					honest[u]--
				}
			}
			if vote(nodes-liars, make([]int, nodes)); nodes > liars+1 && most <= r.Absent {
				t.Errorf("%+v: a quorum of %d would do", r, r.Quorum()-1)
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		r := Rules{Nodes: rapid.IntRange(2, 40).Draw(t, "nodes"), Absent: rapid.IntRange(1, 8).Draw(t, "absent")}
		r.Liars = rapid.IntRange(0, r.Nodes/3).Draw(t, "liars")
		few := rapid.IntRange(1, r.Nodes).Draw(t, "nodes voted against")
		honest := make([]int, r.Nodes)
		for range r.Nodes - r.Liars {
			for _, u := range rapid.Permutation(seq(few)).Draw(t, "votes")[:min(few, r.Absent)] {
				honest[u]++
			}
		}
		if out := certified(r, r.Quorum(), honest); out > r.Absent {
			t.Fatalf("%+v: votes %v put %d out", r, honest, out)
		}
	})
}

func seq(n int) (all []int) {
	for i := range n {
		all = append(all, i)
	}
	return all
}

// Those who are there make a quorum without the missing and without liars, and one node fewer would not.
func TestLeastNodesMakeAQuorum(t *testing.T) {
	for absent := 1; absent < 9; absent++ {
		for liars := range 9 {
			for n, want := range map[int]bool{Least(absent, liars): true, Least(absent, liars) - 1: false} {
				r := Rules{Nodes: n, Absent: absent, Liars: liars}
				if there := n - liars - absent; (there >= r.Quorum()) != want {
					t.Errorf("%+v: %d are there, the quorum is %d", r, there, r.Quorum())
				}
			}
		}
	}
}

// paper is a notary whose signatures are what they sign.
type paper struct{ self step.NodeID }

func signature(round int, out, by step.NodeID) []float64 {
	return []float64{float64(round), float64(out), float64(by)}
}
func (p paper) Sign(round int, out step.NodeID) []float64 { return signature(round, out, p.self) }
func (p paper) Signed(round int, v Vote) bool {
	return slices.Equal(v.Signature, signature(round, v.Out, v.By))
}

// A world is a round at all participants, every one killed and started again before each of its steps, and a network that delivers
// what was sent as often and as late as it likes, or never. The last participants may be liars or dead.
type world struct {
	rules  Rules
	honest int
	calls  []string // states of the honest, as stored
	left   []bool   // by participant: its message was sent
	votes  []bool   // by Out, then By: was sent
}

func newWorld(rules Rules, honest int) *world {
	w := &world{rules: rules, honest: honest, left: make([]bool, rules.Nodes), votes: make([]bool, rules.Nodes*rules.Nodes)}
	for i := range honest {
		w.calls = append(w.calls, string(NewCall(rules, 7, step.NodeID(i), paper{step.NodeID(i)}).Append(nil)))
	}
	return w
}

// start starts a participant from what it has stored.
func (w *world) start(i int) *Call {
	c := NewCall(w.rules, 7, step.NodeID(i), paper{step.NodeID(i)})
	r := state.NewReader([]byte(w.calls[i]), 3)
	if c.Restore(r); r.Err() != nil {
		panic(r.Err())
	}
	return c
}

// An event is one step of a participant: it sends, takes, hears, misses or averages.
type event struct{ what, at, of, by int }

const send, emit, hear, miss, tell, take, average = 0, 1, 2, 3, 4, 5, 6

// possible reports whether what an event delivers was sent.
func (w *world) possible(e event) bool {
	switch e.what {
	case hear:
		return e.of != e.at && w.left[e.of]
	case take:
		return e.by != e.at && w.votes[e.of*w.rules.Nodes+e.by]
	}
	return true
}

// do does one event, and stores the state before anything leaves. What leaves is an event of its own, which may never come.
func (w *world) do(e event) {
	c := w.start(e.at)
	switch e.what {
	case send:
		c.Send()
	case emit: // at once, or after a restart
		w.left[e.at] = w.left[e.at] || c.sent && c.Send()
	case hear:
		c.Hear(step.NodeID(e.of))
	case miss:
		c.Miss(step.NodeID(e.of))
	case tell:
		for _, v := range c.Mine() {
			w.votes[int(v.Out)*w.rules.Nodes+int(v.By)] = true
		}
	case take:
		c.Take(Vote{step.NodeID(e.of), step.NodeID(e.by), signature(7, step.NodeID(e.of), step.NodeID(e.by))})
	case average:
		c.Close(w.others(e.at))
	}
	w.calls[e.at] = string(c.Append(nil))
}

func (w *world) others(at int) (others []step.NodeID) {
	for u := range step.NodeID(w.rules.Nodes) {
		if int(u) != at {
			others = append(others, u)
		}
	}
	return others
}

// events are all that may happen to honest participants; they lose patience with those that misses allows.
func (w *world) events(misses func(of int) bool) (all []event) {
	for i := range w.honest {
		all = append(all, event{what: send, at: i}, event{what: emit, at: i}, event{what: tell, at: i}, event{what: average, at: i})
		for u := range w.rules.Nodes {
			all = append(all, event{what: hear, at: i, of: u})
			if misses(u) {
				all = append(all, event{what: miss, at: i, of: u})
			}
			for by := range w.rules.Nodes {
				all = append(all, event{what: take, at: i, of: u, by: by})
			}
		}
	}
	return all
}

// key tells worlds apart.
func (w *world) key() string {
	key := []byte(strings.Join(w.calls, "|"))
	for _, sent := range slices.Concat(w.left, w.votes) {
		key = state.AppendBool(key, sent)
	}
	return string(key)
}

func (w *world) clone() *world {
	other := *w
	other.calls, other.left, other.votes = slices.Clone(w.calls), slices.Clone(w.left), slices.Clone(w.votes)
	return &other
}

// fails returns which promise a step from w to next breaks, "" if none.
func (w *world) fails(next *world) string {
	votes, out := slices.Clone(next.votes), 0
	for i := range next.honest {
		before, c := w.start(i), next.start(i)
		for _, v := range c.votes {
			votes[int(v.Out)*next.rules.Nodes+int(v.By)] = true
		}
		for u := range step.NodeID(next.rules.Nodes) {
			averaged, was := slices.Contains(c.Averaged(), u), slices.Contains(before.Averaged(), u)
			switch {
			case before.Out(u) && !c.Out(u):
				return "who is out is in again"
			case averaged && c.Reveals(u):
				return "what is shared with a node is revealed, and its message is in the average"
			case before.Reveals(u) && !c.Reveals(u), before.closed && averaged != was:
				return "what was revealed or averaged is taken back"
			case before.Out(u) && !slices.Contains(before.heard, u) && slices.Contains(c.heard, u):
				return "a message of a node that is out is accepted"
			}
		}
		if self := step.NodeID(i); c.Out(self) && next.left[i] && !c.Owes() {
			return "a message has left uncharged"
		} else if before.Out(self) && !w.left[i] && next.left[i] {
			return "a node that is out sends"
		}
	}
	for u := range next.rules.Nodes {
		count := 0
		for _, sent := range votes[u*next.rules.Nodes:][:next.rules.Nodes] {
			if sent {
				count++
			}
		}
		if count >= next.rules.Quorum() {
			out++
		}
	}
	if out > next.rules.Absent {
		return "too many are out"
	}
	return ""
}

// explore visits all worlds that come from w, and returns those in which nothing changes any more.
func explore(t *testing.T, w *world, misses func(int) bool) (ends []*world, seen map[string]bool) {
	events := w.events(misses)
	seen = map[string]bool{w.key(): true}
	for stack := []*world{w}; len(stack) > 0; {
		at := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		end := true
		for _, e := range events {
			if !at.possible(e) {
				continue
			}
			next := at.clone()
			next.do(e)
			key := next.key()
			end = end && key == at.key()
			if seen[key] {
				continue
			}
			seen[key] = true
			if why := at.fails(next); why != "" {
				t.Fatalf("%s after %+v: %+v", why, e, at)
			}
			stack = append(stack, next)
		}
		if end {
			ends = append(ends, at)
		}
	}
	return ends, seen
}

// In all orders of events at three participants who lose patience with the first, with every kill and every loss, all promises are kept.
// Where two lose patience with a third that is dead, both average in the end, without it.
func TestEveryOrderOfEvents(t *testing.T) {
	rules := Rules{Nodes: 3, Absent: 1}
	_, all := explore(t, newWorld(rules, 3), func(of int) bool { return of == 0 })
	ends, _ := explore(t, newWorld(rules, 2), func(of int) bool { return of == 2 })
	for _, w := range ends {
		for i := range w.honest {
			if c := w.start(i); !slices.Equal(c.Averaged(), []step.NodeID{step.NodeID(1 - i)}) || !c.Reveals(2) {
				t.Fatalf("participant %d ends with %+v", i, c)
			}
		}
	}
	if len(ends) == 0 || len(all) < 10_000 {
		t.Fatalf("%d ends in %d worlds", len(ends), len(all))
	}
}

// In random orders of events liars vote against everybody at any time, their messages reach some and not others, and honest
// participants lose patience with anybody: all promises are kept. Where only dead ones try their patience, in the end everybody has
// averaged, and nobody who is alive is out.
func TestLiarsAndKills(t *testing.T) {
	runs, out := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		rules := Rules{Absent: rapid.IntRange(1, 2).Draw(t, "absent"), Liars: rapid.IntRange(0, 1).Draw(t, "liars")}
		rules.Nodes = Least(rules.Absent, rules.Liars)
		dead := rapid.IntRange(0, rules.Absent).Draw(t, "dead")
		w := newWorld(rules, rules.Nodes-rules.Liars-dead)
		patient := rapid.Bool().Draw(t, "patient")
		for liar := w.honest; liar < w.honest+rules.Liars; liar++ {
			w.left[liar] = true
			for u := range rules.Nodes {
				if u != liar {
					w.votes[u*rules.Nodes+liar] = true
				}
			}
		}
		run := func(e event) {
			before := w.clone()
			if !w.possible(e) {
				return
			}
			if w.do(e); before.key() == w.key() {
				return
			}
			if why := before.fails(w); why != "" {
				t.Fatalf("%s after %+v: %+v", why, e, before)
			}
		}
		victims := []int{0, 1, rules.Nodes - 1}
		for range rapid.IntRange(0, 200).Draw(t, "events") {
			e := event{rapid.IntRange(send, average).Draw(t, "what"), rapid.IntRange(0, w.honest-1).Draw(t, "at"),
				rapid.SampledFrom(victims).Draw(t, "of"), rapid.IntRange(0, rules.Nodes-1).Draw(t, "by")}
			if e.what != miss || !patient || e.of >= w.honest+rules.Liars {
				run(e)
			}
		}
		events := w.events(func(of int) bool { return of >= w.honest+rules.Liars })
		for range 4 { // send, tell, take, average
			for _, e := range events {
				run(e)
			}
		}
		for i := range w.honest {
			if w.start(i).Out(step.NodeID(i)) {
				out++
			}
		}
		if runs++; !patient {
			return
		}
		for i := range w.honest {
			if c := w.start(i); !c.closed || slices.ContainsFunc(c.Averaged(), func(u step.NodeID) bool { return int(u) >= w.honest+rules.Liars }) {
				t.Fatalf("participant %d ends with %+v", i, c)
			}
			if w.start(i).Out(step.NodeID(i)) {
				t.Fatalf("participant %d is out", i)
			}
		}
	})
	drawntest.Often(t, "somebody who is alive is out", out, runs, 0.02)
}

// Votes that are not signed, of nobody, or of the node itself are not taken, and a state that is damaged is refused.
func TestFalseVotesAreRefused(t *testing.T) {
	c := NewCall(Rules{Nodes: 3, Absent: 1}, 7, 0, paper{0})
	for _, v := range []Vote{
		{1, 2, signature(7, 1, 0)}, {1, 2, signature(6, 1, 2)}, {1, 2, nil}, {3, 2, signature(7, 3, 2)}, {1, -1, signature(7, 1, -1)},
		{2, 2, signature(7, 2, 2)}, {1, 0, signature(7, 1, 0)},
	} {
		if c.Take(v) {
			t.Errorf("%+v is taken", v)
		}
	}
	if v := (Vote{1, 2, signature(7, 1, 2)}); !c.Take(v) || c.Take(v) {
		t.Error("a vote is taken once")
	}
	stored := c.Append(nil)
	for at := range stored {
		for _, flip := range []byte{1, 0x80} {
			damaged := slices.Clone(stored)
			damaged[at] ^= flip
			r, other := state.NewReader(damaged, 3), NewCall(c.rules, 7, 0, paper{0})
			if other.Restore(r); r.Err() == nil && string(other.Append(nil)) != string(damaged) {
				t.Errorf("byte %d: %+v is read", at, other)
			}
		}
	}
}
