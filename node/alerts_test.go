package node

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/internal/yamltext"
)

// exported are the metrics of a node by name, with the values of their label reason.
func exported(t *testing.T) map[string][]string {
	t.Helper()
	n, _ := beginPeer(t)
	families, err := n.config.Metrics.Gather()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string][]string{}
	for _, f := range families {
		found[f.GetName()] = nil
		for _, m := range f.GetMetric() {
			for _, l := range m.GetLabel() {
				found[f.GetName()] = append(found[f.GetName()], l.GetValue())
			}
		}
	}
	return found
}

// Every metric that deploy/alerts.yaml asks for is one that a node has, and every rule says what it
// means and how much it matters.
func TestAlertsAreAboutMetricsThatThereAre(t *testing.T) {
	const path = "../deploy/alerts.yaml"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Groups []struct {
			Name  string
			Rules []struct {
				Alert, Expr, For    string
				Labels, Annotations map[string]string
			}
		}
	}
	doc, err := yamltext.NewDocument(text, len(text), path)
	if err != nil {
		t.Fatal(err)
	}
	if err := doc.Decode(&file); err != nil {
		t.Fatal(err)
	}
	known, names := exported(t), map[string]bool{}
	for _, rule := range file.Groups[0].Rules {
		if names[rule.Alert] || rule.For == "" || rule.Labels["severity"] == "" || rule.Annotations["summary"] == "" || rule.Annotations["description"] == "" {
			t.Errorf("%s lacks a name of its own, how long, how bad, or words", rule.Alert)
		}
		names[rule.Alert] = true
		for _, metric := range regexp.MustCompile(`hearsay_\w+`).FindAllString(rule.Expr, -1) {
			metric = regexp.MustCompile(`_(sum|count|bucket)$`).ReplaceAllString(metric, "")
			if _, is := known[metric]; !is {
				t.Errorf("%s: no node has a metric %s", rule.Alert, metric)
			}
		}
		for _, reasons := range regexp.MustCompile(`reason=~"([^"]*)"`).FindAllStringSubmatch(rule.Expr, -1) {
			for reason := range strings.SplitSeq(reasons[1], "|") {
				if !slices.Contains(known["hearsay_frames_refused_total"], reason) {
					t.Errorf("%s: no frame is refused as %q", rule.Alert, reason)
				}
			}
		}
	}
	if len(names) < 5 {
		t.Errorf("only %d rules were read", len(names))
	}
	if _, err := exec.LookPath("promtool"); err != nil {
		t.Skip("SKIPPED: promtool, of Debian's prometheus, is not here to check the expressions")
	}
	if said, err := exec.Command("promtool", "check", "rules", path).CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, said)
	}
}

// docs/howto/watch.md names every metric that a node has.
func TestMetricsAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../docs/howto/watch.md")
	if err != nil {
		t.Fatal(err)
	}
	for name := range exported(t) {
		if !strings.Contains(string(text), "`"+name+"`") && strings.HasPrefix(name, "hearsay_") {
			t.Errorf("docs/howto/watch.md does not name %s", name)
		}
	}
}
