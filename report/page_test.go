package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"regexp"
	"strings"
	"testing"
)

// rendered is the page about b.
func rendered(t *testing.T, b *Bundle) string {
	t.Helper()
	var out bytes.Buffer
	if err := Page(t.Context(), &out, b); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestPageIsSelfContained(t *testing.T) {
	page := rendered(t, hypercubeBundle(5))
	outside := regexp.MustCompile(`(?i)(src|href|action|data)\s*=\s*"(?:[^d"#]|d[^a"])[^"]*"|\burl\(|@import|\bfetch\(|XMLHttpRequest`)
	if found := outside.FindString(page); found != "" {
		t.Errorf("the page refers to something outside: %q", found)
	}
	if strings.Count(page, "<script>") != 1 {
		t.Errorf("%d scripts, want one", strings.Count(page, "<script>"))
	}
	_, script, _ := strings.Cut(page, "<script>")
	script, _, _ = strings.Cut(script, "</script>")
	if want := strings.ReplaceAll(hash(script), "+", "&#43;"); !strings.Contains(page, "script-src '"+want+"'") {
		t.Errorf("the security policy does not name the page's script, %s", want)
	}
}

func TestPageSaysWhatItMust(t *testing.T) {
	page := rendered(t, hypercubeBundle(5))
	for _, words := range []string{
		"houses on a hypercube", "88.4 %", "Simulated noise is not release noise", "not a guarantee",
		`class="badge published"`, `class="badge sound"`, "local bound (sound)", "longitude below its mean", "name: houses on a hypercube",
		"themselves a release", "0.1.0",
	} {
		if !strings.Contains(page, words) {
			t.Errorf("the page does not say %q", words)
		}
	}
	for _, leak := range []string{"#EEDD", "ZgotmplZ", "%!", "NaN"} {
		if strings.Contains(page, leak) {
			t.Errorf("the page contains %q", leak)
		}
	}
}

// The local bound is that of an observer of every message, who also knows what partners share if noise cancels.
func TestPageSaysWhoTheLocalBoundIsTowards(t *testing.T) {
	b := hypercubeBundle(5)
	for _, secrets := range []*Secrets{nil, {}} {
		b.Result.Graph.Secrets = secrets
		if page := rendered(t, b); strings.Contains(page, "could learn who knows all noise that it shares, too: no place") != (secrets != nil) || !strings.Contains(page, "an observer of every message of a node could learn") {
			t.Errorf("secrets %v: the page says something else of the local bound", secrets)
		}
	}
}

// TestNothingBreaksOut puts markup into every text a user controls.
func TestNothingBreaksOut(t *testing.T) {
	const evil = `</script></style></title><script>alert(1)</script><img src=x onerror=alert(2)>"'`
	b := hospitalsBundle()
	r := b.Result
	r.Name, r.Algorithm, r.Model, r.Notes = evil, evil, evil, []string{evil}
	r.Data = Data{Source: evil, Target: evil, Positive: evil, Features: []string{evil}, Preprocessing: []string{evil}, Partition: evil}
	r.Graph.Name, r.Graph.Weights = evil, evil
	r.Privacy.Accountant, r.Privacy.Metric, r.Privacy.Sender, r.Privacy.Assumptions = evil, evil, evil, []string{evil}
	r.Versions = map[string]string{evil: evil}
	b.Losses[0].Accountant, b.Picture.Names, b.ResolvedSpec = evil, []string{evil, evil, evil, evil}, []byte(evil)
	page := rendered(t, b)
	for _, bad := range []string{"<script>alert", "<img src=x", "</script></style>"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page contains %q", bad)
		}
	}
	if got, want := strings.Count(page, "</script>"), strings.Count(page, "<script"); got != want {
		t.Errorf("%d scripts end, %d begin", got, want)
	}
}

// TestChartsAreXML parses every inlined chart.
func TestChartsAreXML(t *testing.T) {
	page := rendered(t, geometricBundle(80))
	charts := regexp.MustCompile(`(?s)<svg.*?</svg>`).FindAllString(page, -1)
	if len(charts) != 3 {
		t.Fatalf("%d charts, want accuracy, objective and distance", len(charts))
	}
	for _, chart := range charts {
		decoder := xml.NewDecoder(strings.NewReader(chart))
		paths := 0
		for {
			token, err := decoder.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if e, ok := token.(xml.StartElement); ok && e.Name.Local == "path" {
				paths++
			}
		}
		if paths < 5 || !strings.Contains(chart, "var(--series-1)") || !strings.Contains(chart, `aria-label="`) {
			t.Errorf("a chart of %d paths lacks its line or its label", paths)
		}
	}
}

func TestPageOfOtherRuns(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Bundle)
		want   string
	}{
		"Rényi": {func(b *Bundle) {
			b.Result.Privacy.Order, b.Result.Privacy.Delta, b.Result.Privacy.Metric = 2, 0, "Renyi at order 2"
		}, "the Rényi divergence of order 2"},
		"no losses":      {func(b *Bundle) { b.Losses, b.Picture, b.Result.Privacy = nil, nil, Privacy{} }, "cannot say what one node learnt"},
		"no sound":       {func(b *Bundle) { b.Losses, b.Result.Privacy.Others = b.Losses[:1], nil }, "nothing here is a guarantee"},
		"no picture":     {func(b *Bundle) { b.Picture = nil }, "it is not drawn"},
		"regression":     {func(b *Bundle) { b.Result.Final.TestAccuracy = nil }, "<figcaption>Loss"},
		"one trial":      {func(b *Bundle) { b.Result.Trials = b.Result.Trials[:1] }, "means over 1 trial;"},
		"no curve":       {func(b *Bundle) { b.Result.Curve = nil }, "Accountants"},
		"diverged":       {func(b *Bundle) { b.Result.Final.TestLoss, b.Result.Curve[5].TrainLoss = nan, unknown }, "<figcaption>Loss"},
		"no noise":       {func(b *Bundle) { unbounded(b) }, "∞"},
		"nothing leaks":  {func(b *Bundle) { b.Losses[0].At = func(_, _ int) float64 { return 0 } }, "Every pair in one picture"},
		"big to draw":    {func(b *Bundle) { b.Picture.Edges = make([][2]int32, maxDrawnEdges+1) }, "too big to draw"},
		"unknown status": {func(b *Bundle) { b.Result.Privacy.Status = "hoped" }, "a status this report does not know"},
	} {
		t.Run(name, func(t *testing.T) {
			b := hypercubeBundle(4)
			c.change(b)
			if page := rendered(t, b); !strings.Contains(page, c.want) {
				t.Errorf("the page does not say %q", c.want)
			}
		})
	}
}

// unbounded is what a run without noise costs.
func unbounded(b *Bundle) {
	p := &b.Result.Privacy
	p.Mean, p.Max, p.Sigma = Number(math.Inf(1)), Number(math.Inf(1)), 0
	for _, l := range b.Losses {
		l.At = apart(func(_, _ int) float64 { return math.Inf(1) })
	}
}

func TestPageStaysSmall(t *testing.T) {
	n := 2048
	if testing.Short() || raceDetector {
		n = 400
	}
	if size := len(rendered(t, geometricBundle(n))); size > 15<<20 {
		t.Errorf("the page about %d nodes with irregular losses has %d bytes", n, size)
	}
}

// Mean and worst pair have a figure each, and the worst beyond neighbours.
func TestFiguresAreOfOneSize(t *testing.T) {
	b := hypercubeBundle(4)
	far := Number(b.Losses[1].At(0, 3))
	b.Result.Privacy.Others[0].MaxBeyondNeighbours = &far
	b.Result.Privacy.Coalition = &Coalition{Size: 3, Status: Sound, Mean: 6, Max: 7.5}
	b.Result.Privacy.Limits = []Limit{{Node: 1, Name: "lyon", Clip: 0.1, Share: 0.5, Loses: 2}}
	b.Result.Notes = append(b.Result.Notes, b.Result.Privacy.LimitsNote())
	page := rendered(t, b)
	if strings.Count(page, "Limits of nodes") != 1 {
		t.Error("limits do not stand at the losses alone")
	}
	for _, want := range []string{
		`<span class="label">mean pair, sound</span>`, `<span class="label">worst pair, sound</span>`,
		`<span class="label">worst beyond neighbours, sound</span><span class="value">ε ≤ ` + bound(b.Losses[1].At(0, 3), Sound) + "<",
		`<span class="label">worst of any 3 together, sound</span><span class="value">ε ≤ 7.5<`,
		`<p class="lead">Limits of nodes&#39; own. `,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %s", want)
		}
	}
	b.Result.Final.TestLoss, b.Result.Final.TestAccuracy, b.Result.Data.Test = nan, nil, 0
	if page := rendered(t, b); strings.Contains(page, `<span class="label">test loss`) || !strings.Contains(page, `<span class="label">training loss`) {
		t.Error("a run without test rows shows a test loss")
	}
}

// The page opens on the pair with the largest sound loss, wherever it is.
func TestPageOpensOnTheWorstPair(t *testing.T) {
	b := hypercubeBundle(4)
	at := b.Losses[1].At
	b.Losses[1].At = func(u, v int) float64 {
		if u == 11 && v == 6 {
			return 9
		}
		return at(u, v)
	}
	b.Losses[1].Accountant = b.Result.Privacy.Others[0].Accountant
	page := rendered(t, b)
	if !strings.Contains(page, `"observer":6,"about":11,`) || !strings.Contains(page, "lose most by accountant path (sound)") {
		t.Error("the page opens elsewhere")
	}
}
