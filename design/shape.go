package design

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A shape is everything of a plan that its noise depends on: the kind with its keys, but for the clip and the length of a step.
type shape struct {
	family     string // as pages call it
	detail     string
	algorithm  keysOf
	accountant string
	rounds     int               // contributions of each participant
	rate       string            // the key of the length of a step
	hope       float64           // the least part of the local accountant's noise that this one may ask for, where it takes long to say; 0: it is quick
	seconds    func(int) float64 // of the run, by its turns
	clips      bool              // strict participants clip smaller than others
}

// with returns a shape with more keys and a longer detail.
func (s shape) with(detail string, more keysOf) shape {
	keys := maps.Clone(s.algorithm)
	for key, value := range more {
		keys[key] = value
	}
	if s.algorithm = keys; detail != "" && s.detail != "" {
		detail = s.detail + ", " + detail
	}
	if detail != "" {
		s.detail = detail
	}
	return s
}

// A Refusal is a family that no plan was made of, and why.
type Refusal struct {
	Family string `json:"family"`
	Why    string `json:"why"`
}

// The families, as pages call them.
const (
	fixedGossip    = "gossip on the possible edges"
	matchingGossip = "gossip on matchings"
	cancelling     = "gossip with noise that cancels"
	oneToken       = "walk"
	tokens         = "walk of several tokens"
	admmToken      = "ADMM by a token"
	admmRounds     = "ADMM in rounds"
	curated        = "a curator"
)

// lengths are the numbers of contributions of each participant that are tried first. The best are then refined.
var lengths = []int{1, 6, 25, 100}

// axes hold the values in which shapes of a family differ.
type axes struct {
	turns    []int // of averaging after a contribution
	partners []int // of each participant, besides everybody
	tokens   []int // of a walk of several, rising
}

// axesOf returns the values that are searched for so many participants.
func axesOf(n int) axes {
	if n > manyNodes {
		return axes{[]int{1, 4}, []int{4, 16}, []int{4}}
	}
	return axes{[]int{1, 4}, []int{2, 6}, []int{4}}
}

// wide returns a venue with all numbers of turns that the best plans are tried with.
func (v *venue) wide() *venue {
	wide := *v
	wide.axes.turns = []int{1, 2, 4, 8, 16}
	return &wide
}

// turns returns the turns of averaging after a contribution, 0 for what does not average.
func (s shape) turns() int {
	switch turns, several := s.algorithm["gossip_steps"].(int); {
	case several:
		return turns
	case s.algorithm["kind"] == "gossip-gd":
		return 1
	}
	return 0
}

// manyNodes is the number of participants above which only the strictest are priced before a plan is chosen.
const manyNodes = 16

// shapesOf returns the shapes with so many contributions of each participant.
func (v *venue) shapesOf(rounds int) (all []shape) {
	all = v.gossips(rounds)
	if v.Absent > 0 { // ruledOut says why
		return all
	}
	all = append(append(all, v.walks(rounds)...), v.rounds(rounds)...)
	if v.Curator != "" {
		all = append(all, shape{curated, "", keysOf{"kind": "fixed-point", "steps": rounds, "draw": len(v.Participants)}, "tight", rounds, "step_size", 0,
			func(int) float64 { return 2 * v.links.slow }, false})
	}
	return all
}

// ruledOut returns the families that the wishes rule out, before any is priced.
func (v *venue) ruledOut() (refused []Refusal) {
	if v.Curator == "" {
		refused = append(refused, Refusal{curated, "nobody is trusted with all rows (curator)"})
	}
	if v.Secrets == noSecrets {
		refused = append(refused, Refusal{cancelling, "nobody could share secrets (secrets)"})
	}
	if v.server() < 0 {
		refused = append(refused, Refusal{admmRounds, "no participant has an edge to every other, as the one who sums needs"})
	}
	for _, family := range []string{matchingGossip, oneToken, tokens, admmToken, admmRounds, curated} {
		if known := func(r Refusal) bool { return r.Family == family }; v.Absent > 0 && !slices.ContainsFunc(refused, known) {
			refused = append(refused, Refusal{family, "it waits for whoever misses a step, or is priced for steps that nobody misses (absent)"})
		}
	}
	return refused
}

// mostRows returns the largest number of rows of a node, or 0 if all have as many.
func (v *venue) mostRows() int {
	offsets := v.bases[false].Federation.Shards.Offsets
	least, most := offsets[1], 0
	for u := range len(offsets) - 1 {
		rows := offsets[u+1] - offsets[u]
		least, most = min(least, rows), max(most, rows)
	}
	if least == most {
		return 0
	}
	return most
}

// weighed returns a shape whose rows count alike, where participants have different numbers of rows and v chose so.
func (v *venue) weighed(s shape) shape {
	if rows := v.mostRows(); v.way.rowsAlike && rows > 0 {
		return s.with("rows count alike", keysOf{"weigh_rows": rows})
	}
	return s
}

// gossips returns the shapes of gossip.
func (v *venue) gossips(rounds int) (all []shape) {
	n, complete := len(v.Participants), v.graph.Edges() == len(v.Participants)*(len(v.Participants)-1)/2
	slowest := func(turns int) float64 { return float64(turns) * v.links.slow }
	for _, turns := range v.axes.turns {
		if complete && turns > 1 {
			break
		}
		plain := shape{fixedGossip, "", keysOf{"kind": "gossip-gd", "steps": rounds}, "local", rounds, "step_size", 0, slowest, false}
		if turns > 1 {
			plain = plain.with(turnsOf(turns), keysOf{"gossip_steps": turns})
		}
		if plain = v.weighed(plain); v.way.meansClipped {
			plain = plain.with("means clipped", keysOf{"clip_each": "mean"})
		}
		plain = v.clipped(plain)
		if v.Absent > 0 {
			plain = plain.with("", keysOf{"dropout": float64(v.Absent) / float64(n)})
		}
		all = append(all, plain)
		if turns == 1 && v.farNamed() && !v.way.meansClipped {
			far := plain.with("by what neighbours hide", nil)
			far.accountant = "flow"
			all = append(all, far)
		}
		for _, how := range v.partners(n) {
			p := plain.with(partnersOf(how), keysOf{"pairwise": 10, "secrets": how})
			if p.family, p.accountant = cancelling, "pairwise"; v.Absent > 0 {
				p = p.with(fmt.Sprintf("%d may miss a step", v.Absent), keysOf{"absent": v.Absent})
			}
			all = append(all, p)
		}
	}
	if v.Absent > 0 {
		return all
	}
	for _, turns := range v.axes.turns {
		all = append(all, v.clipped(v.weighed(shape{matchingGossip, turnsOf(turns),
			keysOf{"kind": "gossip-gd", "steps": rounds, "wake": "matchings", "gossip_steps": turns}, "flow", rounds, "step_size", 0.6, slowest, false})))
	}
	return all
}

// farNamed reports whether a wish limits the loss towards a named participant that is no neighbour. Towards such ones alone flow is below
// local on a fixed graph. It is not asked of many participants, or where some may miss steps.
func (v *venue) farNamed() bool {
	if len(v.Participants) > manyNodes || v.Absent > 0 {
		return false
	}
	at, err := v.placed(nil)
	return err == nil && slices.ContainsFunc(v.limits(), func(l Limit) bool {
		return l.Towards == named && !v.graph.HasEdge(at[l.About], at[l.Named])
	})
}

// turnsOf returns the turns of averaging after a contribution, in words.
func turnsOf(turns int) string {
	if turns == 1 {
		return "1 turn of averaging"
	}
	return fmt.Sprintf("%d turns of averaging", turns)
}

// partners returns the graphs of who shares secrets, as algorithm.secrets takes them.
func (v *venue) partners(n int) (all []string) {
	switch {
	case v.Secrets == noSecrets:
		return nil
	case v.Secrets == edgeSecrets:
		return []string{"edges"}
	case v.Secrets != anyoneSecrets:
		return []string{v.Secrets}
	}
	for _, degree := range v.axes.partners {
		if degree < n-1 && n*degree%2 == 0 {
			all = append(all, fmt.Sprintf("regular:%d", degree))
		}
	}
	return append(all, "complete")
}

// partnersOf returns who shares secrets, in words.
func partnersOf(how string) string {
	degree, regular := strings.CutPrefix(how, "regular:")
	switch {
	case regular:
		return degree + " partners each"
	case how == "complete":
		return "everybody a partner of everybody"
	case how == "edges":
		return "neighbours as partners"
	}
	return "partners of " + how
}

// walks returns the shapes of walks. Their last token is shown to all participants, who else would have no model.
func (v *venue) walks(rounds int) (all []shape) {
	n := len(v.Participants)
	hops := func(turns int) float64 { return float64(turns) * v.links.hop }
	one := v.clipped(v.weighed(shape{oneToken, "", keysOf{"kind": "walk", "steps": rounds * n, "contributions": rounds}, "path", rounds, "step_size", 0.75, hops, false}))
	admm := shape{admmToken, "", keysOf{"kind": "admm-walk", "steps": rounds * n, "contributions": rounds}, "path", rounds, "gamma", 0.75, hops, false}
	if v.Federation != nil { // everybody knows where a real walk starts
		known := keysOf{"start": 0}
		one, admm = one.with("", known), admm.with("", known)
	}
	all = append(all, one)
	for _, k := range v.axes.tokens {
		if rounds < k {
			break
		}
		several := one.with(fmt.Sprintf("%d tokens", k), keysOf{"tokens": k, "steps": (rounds*n + k - 1) / k})
		several.family = tokens
		all = append(all, several)
	}
	return append(all, admm)
}

// rounds returns the shape of ADMM in rounds, if a participant can sum.
func (v *venue) rounds(rounds int) []shape {
	server := v.server()
	if server < 0 {
		return nil
	}
	slow, _ := v.links.slowest(server, len(v.Participants))
	return []shape{{admmRounds, v.graph.Label(server) + " adds up", keysOf{"kind": "admm-federated", "steps": rounds, "server": server}, "means", rounds, "gamma", 0,
		func(int) float64 { return float64(2*rounds) * slow }, false}}
}

// server returns the node that has an edge to every other and the fastest slowest edge, or -1.
func (v *venue) server() int {
	best, least := -1, 0.0
	for u := range v.graph.Len() {
		if slow, all := v.links.slowest(u, v.graph.Len()); all && (best < 0 || slow < least) {
			best, least = u, slow
		}
	}
	return best
}
