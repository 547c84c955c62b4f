package sim

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/step"
)

var rewrite = flag.Bool("rewrite", false, "write what the scenarios in testdata do in the place of what they are expected to do")

// Machines on the virtual network do what the texts in testdata/scenarios say. README.md there has
// the commands.
func TestScenarios(t *testing.T) {
	files, err := filepath.Glob("testdata/scenarios/*.txt")
	if err != nil || len(files) < 5 {
		t.Fatalf("%d scenarios: %v", len(files), err)
	}
	for _, path := range files {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			got := replay(t, string(text))
			if *rewrite {
				err = os.WriteFile(path, []byte(got), 0o600)
			} else if want, is := firstDifference(string(text), got); want != is {
				t.Errorf("%s expects\n%s\nand the machines do\n%s\nIf that is right: go test ./sim -run TestScenarios -rewrite", path, want, is)
			}
			if err != nil {
				t.Fatal(err)
			}
		})
	}
}

// replay does the commands of a text and returns the text with what they did after each "----".
// Commands stand in lines before it, what they do up to the next empty line. Lines that begin with #
// are comments.
func replay(t *testing.T, text string) string {
	var b strings.Builder
	s := &scenario{t: t}
	expected := false
	for line := range strings.Lines(text) {
		switch trimmed := strings.TrimSpace(line); {
		case trimmed == "----":
			b.WriteString(line)
			b.WriteString(s.said.String())
			s.said.Reset()
			expected = true
		case trimmed == "":
			b.WriteString(line)
			expected = false
		case expected:
		default:
			b.WriteString(line)
			if words := strings.Fields(line); words[0] != "#" {
				s.do(words)
			}
		}
	}
	if s.said.Len() > 0 {
		t.Errorf("nothing is expected of the last commands, which did\n%s", s.said.String())
	}
	return b.String()
}

// firstDifference returns the first paragraphs of two texts that differ, or nothing.
func firstDifference(want, got string) (string, string) {
	wants, gots := strings.Split(want, "\n\n"), strings.Split(got, "\n\n")
	for i := range min(len(wants), len(gots)) {
		if wants[i] != gots[i] {
			return wants[i], gots[i]
		}
	}
	return strings.Join(wants[min(len(wants), len(gots)):], "\n\n"), strings.Join(gots[min(len(wants), len(gots)):], "\n\n")
}

// arguments are the words of a command.
type arguments struct {
	*scenario
	words []string
}

// text returns the value of key=value, and whether there is one.
func (a arguments) text(key string) (value string, given bool) {
	for _, word := range a.words {
		if value, given = strings.CutPrefix(word, key+"="); given {
			return value, true
		}
	}
	return "", false
}

func (a arguments) parse(text string) uint64 {
	x, err := strconv.ParseInt(text, 10, 64)
	if err == nil {
		return uint64(x)
	}
	big, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		a.t.Fatalf("%s: %v", strings.Join(a.words, " "), err)
	}
	return big
}

func (a arguments) number(key string, otherwise int64) int64 {
	if text, given := a.text(key); given {
		return int64(a.parse(text))
	}
	return otherwise
}

// numbers are those of key=3, key=1..20, key=1..20/7 (every seventh), or key=+3: so many more than
// the victim's own.
func (a arguments) numbers(key string, victim step.NodeID) (all []uint64) {
	text, given := a.text(key)
	low, rest, several := strings.Cut(text, "..")
	switch {
	case !given:
		return []uint64{0}
	case strings.HasPrefix(text, "+"):
		own := uint64(a.run.machines[victim].(interface{ Turn() step.Turn }).Turn())
		if key == "epoch" {
			own = a.run.machines[victim].(walker).Epoch()
		}
		return []uint64{own + a.parse(text[1:])}
	case !several:
		return []uint64{a.parse(text)}
	}
	high, by, _ := strings.Cut(rest, "/")
	if by == "" {
		by = "1"
	}
	for x := a.parse(low); x <= a.parse(high); x += a.parse(by) {
		all = append(all, x)
	}
	return all
}

// body is that of body=1,2,nan. A number with b behind it is in units of the machines' bound, one with
// *3 is there three times.
func (a arguments) body() (body []float64) {
	text, given := a.text("body")
	if !given {
		return nil
	}
	for word := range strings.SplitSeq(text, ",") {
		word, times, several := strings.Cut(word, "*")
		if !several {
			times = "1"
		}
		number, bounds := strings.CutSuffix(word, "b")
		x, err := strconv.ParseFloat(number, 64)
		if err != nil {
			a.t.Fatal(err)
		}
		if bounds {
			x *= a.bound
		}
		body = append(body, slices.Repeat([]float64{x}, int(a.parse(times)))...)
	}
	return body
}

func (a arguments) node() step.NodeID { return step.NodeID(a.parse(a.words[1])) }

func (a arguments) link() link {
	from, to, _ := strings.Cut(a.words[1], "->")
	return link{step.NodeID(a.parse(from)), step.NodeID(a.parse(to))}
}

// edges are those of edges=0-1,1-2, or of the complete graph.
func (a arguments) edges(n int) lazyWalk {
	w := make(lazyWalk, n)
	text, given := a.text("edges")
	for u := range n {
		for v := range n {
			if u != v && (!given || slices.Contains(strings.Split(text, ","), fmt.Sprintf("%d-%d", min(u, v), max(u, v)))) {
				w[u] = append(w[u], step.NodeID(v))
			}
		}
	}
	return w
}
