package gossipfamily

import (
	"fmt"
	"slices"

	"github.com/hearsay-dp/hearsay/graph/graphfile"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/schedule"
)

// mostCutOff is the size of the largest part for which hidesLittle warns. With four nodes half of the noise without cancelling
// noise is needed.
const mostCutOff = 4

// cutOff returns a smallest part of at most mostCutOff nodes that one node separates from all others in the secrets graph, and
// that node. It returns nil if there is none. Time is linear in the edges.
func (a *Algorithm) cutOff() (part []int32, cut int) {
	n := a.secrets.Len()
	for v := range n {
		for _, w := range a.secrets.Neighbours(v) {
			found := a.within(w, v)
			if found == nil || len(found) == n-1 && n > 2 || part != nil && len(found) >= len(part) {
				continue
			}
			part, cut = found, v
		}
	}
	return part, cut
}

// within returns the nodes that w reaches without v. It returns nil if they are more than mostCutOff.
func (a *Algorithm) within(w int32, v int) []int32 {
	part := []int32{w}
	for i := 0; i < len(part); i++ {
		for _, x := range a.secrets.Neighbours(int(part[i])) {
			if int(x) == v || slices.Contains(part, x) {
				continue
			}
			if part = append(part, x); len(part) > mostCutOff {
				return nil
			}
		}
	}
	return part
}

// hidesLittle returns a warning where cancelling noise hardly protects some node. The observer is one node that cuts it off
// with few others, or a coalition of all its partners. It returns "" elsewhere.
func (a *Algorithm) hidesLittle() string {
	if a.keys.Pairwise == 0 {
		return ""
	}
	said := func(who string, among ...int32) string {
		text := fmt.Sprintf("Noise that cancels hides little here: %s.", who)
		if share := math.Floor(100 * a.noiseLeft(among)); share >= 1 {
			text += fmt.Sprintf(" Calibrated on the largest loss, every node then adds at least %.0f %% of the noise that it would add without algorithm.pairwise.", share)
		}
		return text + a.furtherSecrets()
	}
	if size := a.against(); size > 1 {
		who := fmt.Sprintf("a coalition of %d can be all of them (privacy.coalition)", size)
		if a.keys.Absent > 0 {
			who = "who observes and who misses a step can be all of them (privacy.coalition, algorithm.absent)"
		}
		for v := range a.secrets.Len() {
			if d := a.secrets.Degree(v); d <= size {
				return said(fmt.Sprintf("%s has %d partners, and %s: it then loses what the local accountant says", a.Name(v), d, who), int32(v))
			}
		}
	}
	for v := range a.secrets.Len() {
		if a.secrets.Degree(v) == 0 && a.secrets.Len() > 1 {
			return said(a.Name(v)+" shares no secret, and loses what the local accountant says to everybody", int32(v))
		}
	}
	part, cut := a.cutOff()
	switch len(part) {
	case 0:
		return ""
	case 1:
		return said(fmt.Sprintf("%s shares a secret with nobody but %s, to whom it loses what the local accountant says", a.Name(int(part[0])), a.Name(cut)), part...)
	}
	return said(fmt.Sprintf("without %s, %s and %d more share secrets with each other alone, and only these %d hide in each other from it", a.Name(cut), a.Name(int(part[0])), len(part)-1, len(part)), part...)
}

// noiseLeft returns a lower bound on the noise that the largest loss asks for if nodes hide in nobody but each other, over
// the noise that it asks for without cancelling noise. It returns 0 if none is known, because Poisson samples of nodes differ.
// Limits do not count, because noise is calibrated without them.
func (a *Algorithm) noiseLeft(nodes []int32) (left float64) {
	noise := a.Protocol.Noise
	if rates := noise.Rates(); rates != nil && slices.Min(rates) < slices.Max(rates) {
		return 0
	}
	noise.Clips = nil
	relatives := schedule.Relatives(noise.Relatives())
	for _, u := range nodes {
		left = max(left, relatives.At(int(u)))
	}
	return left / math.Sqrt(float64(len(nodes)))
}

// against returns how many nodes may know the noise of a node's secrets: those who observe together, and those who miss a step.
func (a *Algorithm) against() int { return max(1, a.Spec.Privacy.Coalition) + a.keys.Absent }

// furtherSecrets names a change with which noise that cancels hides more, after a space. It returns "" if there is none.
func (a *Algorithm) furtherSecrets() string {
	others, partners := a.secrets.Len()-1, max(4, a.against()+1)
	partners += partners % 2 // any number of nodes can have so many each
	graph := fmt.Sprintf("regular:%d", partners)
	if partners >= others {
		graph = graphfile.CompleteSecrets
	}
	switch {
	case others <= 1:
		return ""
	case others <= a.against():
		return " Calibrating the mean changes that."
	case a.keys.Secrets == "":
		return fmt.Sprintf(" Secrets with further nodes change that (algorithm.secrets: %s, partners who need not be neighbours); so does calibrating the mean.", graph)
	}
	return " Secrets with further nodes change that; so does calibrating the mean."
}
