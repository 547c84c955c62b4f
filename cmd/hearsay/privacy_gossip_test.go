package main

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/internal/testdata"
)

// alone runs one command by itself, and gives it the flag that the root has.
func alone(command *cobra.Command, args ...string) (stdout string, err error) {
	var out bytes.Buffer
	root := &cobra.Command{SilenceErrors: true, SilenceUsage: true}
	root.PersistentFlags().Bool("json", false, "")
	root.AddCommand(command)
	root.SetArgs(append([]string{command.Name()}, args...))
	root.SetOut(&out)
	root.SetErr(&out)
	err = root.Execute()
	return out.String(), err
}

type gossipJSON struct {
	N           int
	Accountants map[string]struct {
		Status      string
		Assumptions []string
		Eps         any
		Leakage     [][]float64
	}
}

func TestPrivacyGossipJSON(t *testing.T) {
	out, err := alone(newPrivacyGossipCommand(), "--graph", "line:4", "--steps", "2", "--sigma", "2", "--alpha", "3", "--json")
	var answer gossipJSON
	if err != nil || json.Unmarshal([]byte(out), &answer) != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	sound := answer.Accountants["sound"]
	eps := sound.Eps.([]any)
	if answer.N != 4 || sound.Status != "sound" || len(eps) != 4 || len(sound.Leakage) != 4 {
		t.Fatalf("%s", out)
	}
	for u := range 4 {
		for v := range 4 {
			if got, want := eps[u].([]any)[v].(float64), 3*sound.Leakage[u][v]/8; math.Abs(got-want) > 1e-15 {
				t.Errorf("(%d, %d): eps %v, want %v", u, v, got, want)
			}
		}
	}
	// 0 hears 1 at once and 2 through it, in two rounds; 3 is too far.
	if row := []float64{sound.Leakage[1][0], sound.Leakage[2][0], sound.Leakage[3][0]}; !slices.Equal(row, []float64{1, 1, 0}) {
		t.Errorf("node 0 learns %v", row)
	}
	if p := answer.Accountants["published"]; p.Status != "published" || len(p.Assumptions) == 0 {
		t.Errorf("published: %+v", p)
	}
	if local := answer.Accountants["local"]; local.Eps != 0.375 || local.Status != "sound" {
		t.Errorf("local: %+v", local)
	}
}

func TestPrivacyGossipWithoutNoise(t *testing.T) {
	out, err := alone(newPrivacyGossipCommand(), "--graph", "line:3", "--steps", "1", "--sigma", "0", "--json")
	var answer gossipJSON
	if err != nil || json.Unmarshal([]byte(out), &answer) != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	eps := answer.Accountants["sound"].Eps.([]any)
	if eps[1].([]any)[0] != nil || eps[2].([]any)[0] != 0.0 {
		t.Errorf("%s", out)
	}
}

func TestPrivacyGossipText(t *testing.T) {
	out, err := alone(newPrivacyGossipCommand(), "--graph", "line:7", "--steps", "6", "--sigma", "1")
	for _, want := range []string{"line:7: 7 nodes, Renyi at order 2", "local: 1", "published below sound", "observers do not collude"} {
		if err != nil || !strings.Contains(out, want) {
			t.Errorf("%q is missing (%v):\n%s", want, err, out)
		}
	}
}

func TestPrivacyGossipRefusals(t *testing.T) {
	for want, args := range map[string][]string{
		"order 1 is not above 1":         {"--graph", "line:3", "--steps", "2", "--sigma", "1", "--alpha", "1"},
		"sigma -1 is negative":           {"--graph", "line:3", "--steps", "2", "--sigma", "-1"},
		"gossip of -2 steps":             {"--graph", "line:3", "--steps", "-2", "--sigma", "1"},
		"too many to print":              {"--graph", "line:5000", "--steps", "2", "--sigma", "1"},
		"there are no weights \"heavy\"": {"--graph", "line:3", "--steps", "2", "--sigma", "1", "--weights", "heavy"},
	} {
		if out, err := alone(newPrivacyGossipCommand(), args...); err == nil || !strings.Contains(err.Error(), want) || out != "" {
			t.Errorf("%v: %v, %q", args, err, out)
		}
	}
}

type attackJSON struct {
	Reconstructed []int
	Leakage       []float64
	Rank          int
	Certainty     string
	Labels        []string
}

func TestAttackGossipJSON(t *testing.T) {
	out, err := alone(newAttackCommand(), "gossip", "--graph", "line:31", "--steps", "9", "--attackers", "0", "--json")
	var answer attackJSON
	if err != nil || json.Unmarshal([]byte(out), &answer) != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if len(answer.Reconstructed) != 10 || answer.Rank != 10 || len(answer.Leakage) != 31 || answer.Certainty != "confirmed" || answer.Labels != nil {
		t.Errorf("%s", out)
	}
}

func TestAttackGossipKnowsTheIdsOfAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "friends.edges")
	if err := os.WriteFile(path, []byte("10 20\n20 30\n30 40\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := alone(newAttackCommand(), "gossip", "--graph", path, "--steps", "1", "--attackers", "10,40", "--json")
	var answer attackJSON
	if err != nil || json.Unmarshal([]byte(out), &answer) != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if !slices.Equal(answer.Reconstructed, []int{0, 1, 2, 3}) || !slices.Equal(answer.Labels, []string{"10", "20", "30", "40"}) {
		t.Errorf("%s", out)
	}
	text, err := alone(newAttackCommand(), "gossip", "--graph", path, "--steps", "1", "--attackers", "10")
	if err != nil || !strings.Contains(text, "1 of 3 others reconstructed, rank 2 of 4 (confirmed)\nreconstructed: 10 20\n") {
		t.Errorf("%v\n%s", err, text)
	}
	if _, err := alone(newAttackCommand(), "gossip", "--graph", path, "--steps", "1", "--attackers", "0"); err == nil ||
		!strings.Contains(err.Error(), "attacker \"0\" is not a node") {
		t.Errorf("%v", err)
	}
}

// A coalition is named as nodes are everywhere: by their names in a graph file, or by numbers.
func TestPairwiseTakesNamesOfACoalition(t *testing.T) {
	testdata.Sequential(t)
	path := filepath.Join(t.TempDir(), "friends.edges")
	if err := os.WriteFile(path, []byte("anna,bert\nbert,carl\ncarl,dora\ndora,anna\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ask := func(coalition string) (string, error) {
		return alone(newPrivacyPairwiseCommand(), "--graph", path, "--rounds", "4", "--own", "1", "--pair", "10", "--coalition", coalition)
	}
	named, err := ask("anna,carl")
	if numbered, other := ask("0,2"); err != nil || other != nil || named != numbered || !strings.Contains(named, "nodes anna, carl together") {
		t.Errorf("%v, %v: %s and %s", err, other, named, numbered)
	}
	if _, err := ask("anna,karl"); err == nil || !strings.Contains(err.Error(), "karl") {
		t.Errorf("a coalition with karl: %v", err)
	}
}
