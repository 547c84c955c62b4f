package main

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/answer/protocols"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/testdata"
)

// hearsayOther runs one of the commands of fixed protocols by itself.
func hearsayOther(args ...string) (stdout string, err error) {
	root := &cobra.Command{Use: "hearsay", SilenceErrors: true, SilenceUsage: true}
	root.PersistentFlags().Bool("json", false, "")
	root.AddCommand(newPrivacyRingCommand(), newPrivacyCompleteCommand(), newPrivacyADMMCommand(),
		newPrivacyGammaCommand(), newPrivacyConvertCommand())
	var out bytes.Buffer
	root.SetOut(&out)
	root.SetErr(&out)
	root.SetArgs(args)
	err = root.Execute()
	return out.String(), err
}

type billJSON struct {
	Accountants map[string]struct {
		Status      string
		Accountant  string
		Assumptions []string
		Eps         *float64
		Delta       float64
		Mean, Value *float64
		Calibration *protocols.Calibrated
		Refused     string
	}
}

func billOf(t *testing.T, line string) billJSON {
	t.Helper()
	out, err := hearsayOther(append(strings.Fields(line), "--json")...)
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	var b billJSON
	decoder := json.NewDecoder(strings.NewReader(out))
	if err := decoder.Decode(&b); err != nil || decoder.More() {
		t.Fatalf("%s: %v in %s", line, err, out)
	}
	for name, a := range b.Accountants {
		if a.Status == "" || a.Assumptions == nil || a.Refused == "" && (a.Accountant == "" || len(a.Assumptions) == 0) {
			t.Errorf("%s: %q has status %q, accountant %q and assumptions %q", line, name, a.Status, a.Accountant, a.Assumptions)
		}
	}
	return b
}

// near wants an eps of an accountant, to a part in a thousand.
func (b billJSON) near(t *testing.T, name string, want float64) {
	t.Helper()
	a, ok := b.Accountants[name]
	if !ok || a.Eps == nil || math.Abs(*a.Eps/want-1) > 1e-3 {
		t.Errorf("%s: %+v, want eps %g", name, a, want)
	}
}

func TestPrivacyRing(t *testing.T) {
	b := billOf(t, "ring --nodes 100 --rounds 10 --sigma 30 --delta 1e-6")
	if sound, published := b.Accountants["sound"], b.Accountants["published"]; !(*sound.Eps < *published.Eps) ||
		sound.Status != "sound" || published.Status != "published" {
		t.Errorf("%+v", b)
	}
	if b := billOf(t, "ring --nodes 10 --rounds 3 --sigma 30 --colluders 3,5"); b.Accountants["sound"].Eps != nil {
		t.Errorf("two colluders around a node learn %g", *b.Accountants["sound"].Eps)
	}
	text, err := hearsayOther(strings.Fields("ring --nodes 10 --rounds 3 --sigma 30 --colluders 3,5")...)
	if err != nil || !strings.Contains(text, "no privacy: eps is infinite") {
		t.Errorf("%q, %v", text, err)
	}
	cal := billOf(t, "ring --nodes 100 --rounds 10 --eps 0.5 --spread").Accountants
	if s, p := cal["sound"].Calibration, cal["published"].Calibration; s == nil || p == nil || !(s.Sigma < p.Sigma) || s.Low > s.Sigma {
		t.Errorf("%+v", cal)
	}
	histogram := billOf(t, "ring --task histogram --nodes 2000 --rounds 5 --values 4 --local 0.4").Accountants
	if s, f := histogram["sound"].Eps, histogram["feldman"].Eps; s == nil || f == nil || *s > *f || *f > 2 {
		t.Errorf("%+v", histogram)
	}
}

func TestPrivacyComplete(t *testing.T) {
	if testing.Short() {
		t.Skip("prices only: run without the race detector")
	}
	b := billOf(t, "complete --nodes 60 --steps 3000 --sigma 80 --walks 2 --known").Accountants
	for _, name := range []string{"sound", "published", "sound, cycles", "sound, spotted alone", "sound, simulated walks"} {
		if a := b[name]; a.Eps == nil || !(*a.Eps > 0) {
			t.Errorf("%s: %+v", name, a)
		}
	}
	if walks := b["sound, simulated walks"]; walks.Mean == nil || *walks.Mean > *b["sound"].Eps {
		t.Errorf("simulated walks %+v", walks)
	}
	sgd := billOf(t, "complete --task sgd --nodes 2048 --steps 20000 --contributions 12 --eps 1").Accountants
	if s := sgd["sound"].Calibration; s == nil || math.Abs(s.Sigma/3.13-1) > 0.1 {
		t.Errorf("sound %+v, want sigma near 3.13", s)
	}
	if p := sgd["published"].Calibration; p == nil || !(p.Sigma > 2*sgd["sound"].Calibration.Sigma) {
		t.Errorf("published %+v", p)
	}
	histogram := billOf(t, "complete --task histogram --nodes 40 --steps 400 --local 0.4 --walks 1").Accountants
	if a := histogram["sound, simulated walks"]; a.Eps == nil || histogram["published"].Refused == "" || *a.Eps > *histogram["sound"].Eps {
		t.Errorf("%+v", histogram)
	}
}

func TestPrivacyADMM(t *testing.T) {
	line := "admm --nodes 1000 --rounds 100 --participations 5 --lipschitz 1 --gamma 0.1 --sigma 4 --alpha 2 "
	billOf(t, line+"--variant decentralised").near(t, "sound", 8*5*2*0.01/16)
	billOf(t, line+"--variant central").near(t, "published", 8*100*2*0.01/(16*1e6))
	federated := billOf(t, line+"--variant federated --sampled 50")
	federated.near(t, "published", 16*100*2*0.01/(16*1e6))
	if _, ok := federated.Accountants["published, numerically"]; !ok {
		t.Error("no numerical accountant")
	}
	at := billOf(t, "admm --variant federated --nodes 1000 --rounds 100 --sampled 50 --gamma 0.1 --sigma 4").Accountants
	if a := at["sound, participations"]; a.Eps == nil || *a.Eps > *at["sound"].Eps {
		t.Errorf("%+v", at)
	}
	if a := billOf(t, "admm --nodes 10 --rounds 5 --gamma 0.1 --eps 1").Accountants["sound"].Calibration; a == nil || !(a.Sigma > 0) {
		t.Errorf("%+v", a)
	}
}

func TestPrivacyGamma(t *testing.T) {
	b := billOf(t, "gamma --least 1 --most 2 --theta 2 --eps 1").Accountants
	if d := b["sound"].Delta; math.Abs(d/0.116266103885589-1) > 1e-8 {
		t.Errorf("delta %g", d)
	}
	if d := b["published"].Delta; math.Abs(d/0.230879356053745-1) > 1e-8 {
		t.Errorf("tail %g", d)
	}
	if c := billOf(t, "gamma --least 1 --most 2 --eps 3 --delta 0.03").Accountants["theta"].Calibration; c == nil || c.Loss > 0.03 {
		t.Errorf("%+v", c)
	}
	if e := billOf(t, "gamma --least 1 --most 2 --theta 2 --delta 0.116266103885589").Accountants["sound"].Eps; e == nil || math.Abs(*e-1) > 1e-8 {
		t.Errorf("%+v", e)
	}
}

func TestPrivacyConvert(t *testing.T) {
	b := billOf(t, "convert --alpha 8 --rdp 0.5 --delta 1e-6")
	b.near(t, "mironov", 0.5+math.Log(1e6)/7)
	b.near(t, "cks", 0.5+math.Log(7.0/8)+(math.Log(1e6)-math.Log(8))/7)
	if d := billOf(t, "convert --alpha 8 --rdp 0.5 --eps 2").Accountants["mironov"].Delta; math.Abs(math.Log(d)+10.5) > 1e-9 {
		t.Errorf("delta %g", d)
	}
	billOf(t, "convert --alpha 8 --eps 3 --delta 1e-6").near(t, "mironov", 3-math.Log(1e6)/7)
	mu := billOf(t, "convert --eps 1 --delta 1e-6").Accountants["mu"].Value
	if mu == nil || math.Abs(*mu/0.2370-1) > 0.01 {
		t.Errorf("mu %v", mu)
	}
	if v := billOf(t, "convert --mu 0.01 --eps 3").Accountants["log10 of delta"].Value; v == nil || *v > -19000 {
		t.Errorf("log10 delta %v", v)
	}
}

// Every fault is one error with a hint, and names the value.
func TestPrivacyOthersRefuse(t *testing.T) {
	for line, want := range map[string]string{
		"ring --nodes 2 --rounds 3 --sigma 1":                            "a ring of 2 nodes",
		"ring --nodes 5 --rounds 3":                                      "sigma 0 is not positive",
		"ring --nodes 5 --rounds 0 --sigma 1":                            "0 rounds",
		"ring --nodes 5 --rounds 3 --sigma 1 --delta 1":                  "delta 1 is not between",
		"ring --nodes 5 --rounds 3 --sigma 1 --colluders 7":              "node 7 is not in a ring of 5",
		"ring --nodes 5 --rounds 3 --task mean":                          `"mean" is not known`,
		"ring --nodes 5 --rounds 3 --task histogram --local -1":          "epsilon -1",
		"complete --nodes 5 --steps 10 --delta 0":                        "delta 0",
		"complete --nodes 2 --steps 10 --sigma 1":                        "2 nodes hides nobody",
		"complete --nodes 9000 --steps 1000000 --sigma 1 --walks 1000":   "take too long",
		"admm --nodes 10 --rounds 5 --gamma 0 --sigma 1 --alpha 2":       "gamma of 0",
		"admm --nodes 10 --rounds 5 --gamma 1 --sigma 1 --variant other": `"other" is not known`,
		"gamma --least 2 --most 1 --theta 1 --eps 1":                     "from 2 to 1",
		"gamma --least 1 --most 2 --eps 1 --delta 1e-6":                  "whatever theta is",
		"gamma --least 1 --most 2 --eps 1":                               "two of --theta",
		"convert --mu 1":                                                 "two values",
		"convert --alpha 1 --rdp 1 --delta 1e-6":                         "order 1 is not above 1",
		"convert --mu -1 --delta 1e-6":                                   "negative",
		"convert --sigma 1 --noise-multiplier 2":                         "translates one noise multiplier",
		"convert --clip 1":                                               "translates one noise multiplier",
		"convert --sigma 1 --eps 1":                                      "--eps is of a loss",
		"convert --noise-multiplier -1":                                  "--noise-multiplier -1 is not between",
		"convert --sigma 1 --rows 0":                                     "--rows 0 is not between",
		"convert --sigma 1 --delta 1":                                    "delta 1 is not between",
	} {
		out, err := hearsayOther(strings.Fields(line)...)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q (printed %q)", line, err, want, out)
		} else if fault.Hint(err) == "" {
			t.Errorf("%s: no hint with %v", line, err)
		}
	}
}

// Nodes that can change less lose what they would under so much more noise; who can change most
// loses what all did. A list that is not one number a node is refused.
func TestSensitivitiesNodeByNode(t *testing.T) {
	testdata.Sequential(t)
	nodes := func(line string) []float64 {
		out, err := hearsayOther(append(strings.Fields(line), "--json")...)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		var b struct {
			Accountants map[string]struct{ Nodes []float64 }
		}
		if err := json.Unmarshal([]byte(out), &b); err != nil {
			t.Fatal(err)
		}
		return b.Accountants["sound"].Nodes
	}
	for _, c := range []struct {
		line, half, list string
	}{
		{"privacy ring --nodes 4 --rounds 5 --colluders 2", "--sigma 20", "--sigma 10 --sensitivities 0.5,1,1,1"},
		{"privacy complete --nodes 4 --steps 50", "--sigma 20", "--sigma 10 --sensitivities 0.5,1,1,1"},
		{"privacy complete --task sgd --nodes 4 --steps 50 --contributions 9", "--sigma 20", "--sigma 10 --sensitivities 0.5,1,1,1"},
		{"privacy admm --nodes 4 --rounds 5 --gamma 0.1 --sigma 4", "--lipschitz 1", "--lipschitz 1,2,2,2"},
	} {
		line := strings.TrimPrefix(c.line, "privacy ")
		all := nodes(line + " " + c.list)
		less, more := *billOf(t, line+" "+c.half).Accountants["sound"].Eps, *billOf(t, line+" "+c.list).Accountants["sound"].Eps
		if len(all) != 4 || math.Abs(all[0]/less-1) > 1e-6 || all[1] != more || !(all[0] < all[1]) {
			t.Errorf("%s: %v, %g of one that can change half as much, the worst is %g", c.line, all, less, more)
		}
	}
	for _, wrong := range []string{"ring --nodes 4 --rounds 5 --sigma 10 --sensitivities 1,1,1", "ring --nodes 4 --rounds 5 --sigma 10 --sensitivities 1,1,1,2",
		"complete --nodes 4 --steps 5 --sigma 10 --sensitivities 1,1,0,1", "complete --nodes 4 --steps 5 --eps 1 --sensitivities 1,1,1,1",
		"ring --task histogram --local 1 --nodes 4 --rounds 5 --sensitivities 1,1,1,1", "admm --nodes 4 --rounds 5 --gamma 0.1 --sigma 4 --lipschitz 1,2"} {
		if _, err := hearsayOther(strings.Fields(wrong)...); err == nil || fault.Hint(err) == "" {
			t.Errorf("%s: %v", wrong, err)
		}
	}
}
