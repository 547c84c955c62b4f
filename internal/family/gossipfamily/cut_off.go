package gossipfamily

import (
	"fmt"
	"slices"

	"github.com/hearsay-dp/hearsay/internal/math"
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
	said := func(who string, among int) string {
		share := math.Floor(100 / math.Sqrt(float64(among)))
		return fmt.Sprintf("Noise that cancels hides little here: %s. Calibrated on the largest loss, every node then adds at least %.0f %% of the noise "+
			"that it would add without algorithm.pairwise. Secrets with further nodes change that%s; so does calibrating the mean.", who, share, a.furtherSecrets())
	}
	if size := max(1, a.Spec.Privacy.Coalition) + a.keys.Absent; size > 1 {
		who := fmt.Sprintf("a coalition of %d can be all of them (privacy.coalition)", size)
		if a.keys.Absent > 0 {
			who = "who observes and who misses a step can be all of them (privacy.coalition, algorithm.absent)"
		}
		for v := range a.secrets.Len() {
			if d := a.secrets.Degree(v); d <= size {
				return said(fmt.Sprintf("%s has %d partners, and %s: it then loses what the local accountant says", a.Name(v), d, who), 1)
			}
		}
	}
	for v := range a.secrets.Len() {
		if a.secrets.Degree(v) == 0 && a.secrets.Len() > 1 {
			return said(a.Name(v)+" shares no secret, and loses what the local accountant says to everybody", 1)
		}
	}
	part, cut := a.cutOff()
	switch len(part) {
	case 0:
		return ""
	case 1:
		return said(fmt.Sprintf("%s shares a secret with nobody but %s, to whom it loses what the local accountant says", a.Name(int(part[0])), a.Name(cut)), 1)
	}
	return said(fmt.Sprintf("%s alone joins by secrets %s and %d more to the others, and only these %d hide in each other from it", a.Name(cut), a.Name(int(part[0])), len(part)-1, len(part)), len(part))
}

// furtherSecrets returns a hint how a spec without a secrets graph of its own gets one, else "".
func (a *Algorithm) furtherSecrets() string {
	if a.keys.Secrets != "" {
		return ""
	}
	return " (algorithm.secrets: regular:4, partners who need not be neighbours)"
}
