package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hearsay-dp/hearsay/answer/form"
)

// How many commands with values drawn at random are tried of each kind, from
// which seed on. Each is always the same for a seed: -v shows what it was.
var (
	hostileCommands = flag.Int("hostile.commands", 40, "commands with random values, of each kind")
	hostileFrom     = flag.Int("hostile.from", 0, "seed of the first one")
)

// hostileNumbers are numbers that a user can type, from everyday ones to those
// at the ends of what a float can hold.
var hostileNumbers = []string{
	"0.1", "0.5", "1", "1.5", "3", "100", "0", "1e-3",
	"-1", "1e-12", "1e-78", "1e-160", "1e-300", "5e-324", "1e6", "1e12", "1e77", "1e160", "1e300", "1.7976931348623157e308",
	"1.0000000001", "0.9999999999", "0.4999999", "1e-16", "inf", "nan",
}

var hostileCounts = []string{"1", "2", "3", "5", "8", "20", "40", "0", "-1", "7", "1000000000", "13", "4"}

// hostileGraphs are small ones of every kind, and files of graphs: a single
// node, pairs, stars, components, arcs.
var hostileGraphs = []string{
	"complete:1", "complete:2", "complete:3", "complete:7", "star:2", "star:3", "star:9", "line:1", "line:2", "line:3", "line:6",
	"ring:3", "ring:4", "ring:8", "ring:8,directed", "ring:3,directed", "grid:2x2", "grid:3x3", "torus:3x3", "hypercube:1", "hypercube:3",
	"exponential:2", "exponential:8", "tree:n=7", "balanced:r=2,h=2", "cliques:count=2,size=3", "cliques:count=1,size=1",
	"er:n=6,p=0.1,seed=3", "er:n=9,p=0.5,seed=1", "er:n=1,p=0.5", "geometric:n=8,r=0.4,seed=2", "ba:n=8,m=2", "regular:n=6,d=3", "regular:n=4,d=0",
	"florentine", "sbm:sizes=3+3,inside=1,outside=0.1",
	"FILE:a b\n", "FILE:a b\nb c\nc a\nd e\n", "FILE:a b\na c\na d\nd e\ne f\nf g\n", "FILE:a a\n", "FILE:1 2\n2 3\n3 4\n4 1\n1 3\n",
}

// hostile draws what a user may type.
type hostile struct {
	r   *rand.Rand
	dir string
}

func (h hostile) of(from ...string) string { return from[h.r.IntN(len(from))] }

func (h hostile) chance(percent int) bool { return h.r.IntN(100) < percent }

// number is an everyday one more often than not, or nothing would be accepted.
func (h hostile) number(usual ...string) string {
	if h.chance(80) {
		return h.of(usual...)
	}
	return h.of(hostileNumbers...)
}

func (h hostile) count(usual ...string) string {
	if h.chance(85) {
		return h.of(usual...)
	}
	return h.of(hostileCounts...)
}

// graph is an expression, or a file in dir.
func (h hostile) graph() string {
	g := h.of(hostileGraphs...)
	text, file := strings.CutPrefix(g, "FILE:")
	if !file {
		return g
	}
	path := filepath.Join(h.dir, fmt.Sprintf("graph%d.edges", len(text)))
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		panic(err)
	}
	return path
}

// flags gives each flag with the chance that it has; a value is of one of the
// kinds number, count, graph, or one of the words that are listed.
func (h hostile) flags(command string, flags ...string) []string {
	args := append([]string{"privacy"}, strings.Fields(command)...)
	for _, f := range flags {
		optional := strings.HasPrefix(f, "?")
		name, kind, _ := strings.Cut(strings.TrimPrefix(f, "?"), "=")
		if optional && !h.chance(25) {
			continue
		}
		switch kind {
		case "":
			args = append(args, "--"+name)
		case "number":
			args = append(args, "--"+name+"="+h.number("1", "2", "0.5", "8", "1e-3"))
		case "count":
			args = append(args, "--"+name+"="+h.count("1", "2", "3", "5", "10"))
		case "graph":
			args = append(args, "--"+name+"="+h.graph())
		default:
			args = append(args, "--"+name+"="+h.of(strings.Split(kind, "|")...))
		}
	}
	if h.chance(50) {
		args = append(args, "--json")
	}
	return args
}

const hostileWeights = "hamilton|metropolis|max-degree|uniform"

var hostileKinds = map[string]func(h hostile) []string{
	"walk": func(h hostile) []string {
		return h.flags("walk", "graph=graph", "steps=count", "sigma=number", "?alpha=number", "?accountant=published|path|all", "?burn-in=count",
			"?colluders=0|1|1,2|99", "?condition=weakest|printed", "?contributions=count", "?edge-cap=count", "?final", "?paths=count",
			"?sender=hidden|known", "?start=0|1|uniform|99|a", "?step-power=number", "?tokens=count", "?u=0|1|a", "?v=1|2|b", "?weights="+hostileWeights)
	},
	"gossip": func(h hostile) []string {
		return h.flags("gossip", "graph=graph", "steps=count", "sigma=number", "?alpha=number", "?weights="+hostileWeights)
	},
	"flow": func(h hostile) []string {
		return h.flags("flow", "graph=graph", "rounds=count", "?sigma=number", "?eps=number", "?delta=number", "?every=count", "?lipschitz=number",
			"?plan=optimal|cheap|auto", "?release=none|final", "?show-plan", "?u=0|1", "?v=1|2", "?colluders=0|1|2|1,2", "?weights="+hostileWeights)
	},
	"pairwise": func(h hostile) []string {
		return h.flags("pairwise", "graph=graph", "rounds=count", "?own=number", "?pair=number", "?eps=number", "?ratio=number", "?delta=number",
			"?any=count", "?coalition=0|1|1,2|0,1,2|99|-1")
	},
	"ring": func(h hostile) []string {
		return h.flags("ring", "nodes=count", "rounds=count", "?sigma=number", "?eps=number", "?delta=number", "?local=number", "?values=count",
			"?spread", "?final", "?task=sum|histogram", "?colluders=0|1|1,2|3,5")
	},
	"complete": func(h hostile) []string {
		return h.flags("complete", "nodes=count", "steps=count", "?sigma=number", "?eps=number", "?delta=number", "?local=number", "?values=count",
			"?known", "?final", "?task=sum|histogram|sgd", "?contributions=count", "?walks=1|2|3|0|-1")
	},
	"admm": func(h hostile) []string {
		return h.flags("admm", "variant=central|federated|decentralised", "nodes=count", "rounds=count", "?sampled=count", "?participations=count",
			"lipschitz=number", "gamma=number", "?sigma=number", "?eps=number", "?alpha=number", "?delta=number")
	},
	"gamma": func(h hostile) []string {
		return h.flags("gamma", "least=number", "most=number", "?theta=number", "?eps=number", "?delta=number")
	},
	"convert": func(h hostile) []string {
		return h.flags("convert", "?alpha=number", "?rdp=number", "?mu=number", "?eps=number", "?delta=number", "?sigma=number", "?noise-multiplier=number", "?clip=number", "?rows=count", "?releases=count")
	},
	"graph info": func(h hostile) []string {
		args := []string{"graph", "info", h.graph()}
		if h.chance(50) {
			args = append(args, "--json")
		}
		return args
	},
	"attack": func(h hostile) []string {
		return append([]string{"attack"}, h.flags("gossip", "graph=graph", "steps=count", "attackers=0|1|0,1|a", "?simulate=1|2", "?sigma=number",
			"?dim=count", "?gamma=number", "?weights="+hostileWeights)[1:]...)
	},
	"spec": func(h hostile) []string {
		command := h.of("plan", "run", "run", "privacy calibrate", "privacy audit", "privacy explain")
		args := append(strings.Fields(command), h.spec())
		switch command {
		case "privacy calibrate":
			if h.chance(70) {
				args = append(args, "--"+h.of("mean", "max")+"="+h.number("1", "0.3", "10"))
			}
		case "privacy audit":
			args = append(args, "--about=0", "--observer=1", "--runs="+h.of("1", "2", "20"))
		case "privacy explain":
			args = append(args, "--about=0", "--observer=1")
		}
		if h.chance(50) {
			args = append(args, "--json")
		}
		return args
	},
}

// spec writes a spec with small and hostile values.
func (h hostile) spec() string {
	kind := h.of("walk", "walk", "walk", "gossip", "gossip-gd", "gossip-sgd", "local", "central")
	gossips, model := strings.HasPrefix(kind, "gossip"), h.of("logistic", "ridge", "mean")
	if kind == "gossip" {
		model = "mean"
	}
	source := map[string]string{"logistic": "two-gaussians", "ridge": "sparse-regression", "mean": "mean"}[model]
	s := &hostileSpec{hostile: h}
	s.section("data")
	s.key(100, "source", source)
	s.key(60, "rows", h.count("1", "2", "5", "20"))
	if model == "ridge" {
		s.key(100, "support", "1")
	}
	s.key(60, "features", h.of("1", "2", "3"))
	s.key(10, "variance", s.number("2"))
	s.key(10, "centre", s.number("2"))
	s.key(15, "scale", h.of("standardise", "none"))
	s.key(60, "normalise", h.of("unit", "none"))
	s.key(4, "partition", h.of("uniform", "position", "dirichlet:0.3", "dirichlet:1e-300", "dirichlet:1e300"))
	s.key(15, "test", h.of("0", "0.2", "0.99"))
	s.section("model")
	s.key(100, "kind", model)
	theory := kind != "gossip" && h.chance(15)
	if kind != "gossip" && (theory || h.chance(30)) {
		s.key(100, "l2", s.number("0.1", "1"))
	}
	s.section("algorithm")
	s.key(100, "kind", kind)
	if kind != "gossip" {
		s.steps(theory)
	} else {
		s.key(50, "steps", h.count("5", "0"))
	}
	s.key(100, "clip", s.number("1"))
	if gossips {
		s.gossip(kind)
	} else {
		s.key(10, "burn_in", h.count("2"))
		s.key(10, "start", h.of("0", "1", "uniform", "99"))
	}
	s.key(20, "average", h.of("none", "half", "weighted"))
	s.privacy(kind)
	path := filepath.Join(h.dir, "spec.yaml")
	text := s.text.String() + "graph: " + h.graph() + "\n"
	if (kind == "local" || kind == "central") && h.chance(50) {
		text += "nodes: " + h.count("4", "7") + "\n"
	} else if h.chance(30) {
		text += "weights: " + h.of(strings.Split(hostileWeights, "|")...) + "\n"
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		panic(err)
	}
	return path
}

// hostileSpec is a spec as it is written.
type hostileSpec struct {
	hostile
	text strings.Builder
}

func (s *hostileSpec) section(name string) { fmt.Fprintf(&s.text, "%s:\n", name) }

// key writes a key in so many of a hundred specs.
func (s *hostileSpec) key(percent int, name, value string) {
	if s.chance(percent) {
		fmt.Fprintf(&s.text, "  %s: %s\n", name, value)
	}
}

// number is that of hostile, as YAML writes it.
func (s *hostileSpec) number(usual ...string) string {
	if s.chance(70) {
		return s.of(usual...)
	}
	return strings.NewReplacer("inf", ".inf", "nan", ".nan").Replace(s.hostile.number(usual...))
}

func (s *hostileSpec) steps(theory bool) {
	s.key(100, "steps", s.count("1", "2", "20", "50"))
	switch {
	case theory:
		s.key(100, "step_size", "theory")
	case s.chance(15):
		s.key(100, "step_size", fmt.Sprintf("{power: %s, base: %s}", s.number("0.5"), s.number("0.2")))
	default:
		s.key(100, "step_size", s.number("0.2"))
	}
	s.key(20, "fill", s.of("true", "false"))
	if !theory {
		s.key(15, "weigh_rows", s.count("4"))
	}
	s.key(50, "contributions", s.count("1", "2"))
	s.key(20, "radius", s.number("2"))
}

func (s *hostileSpec) gossip(kind string) {
	if kind != "gossip" {
		s.key(30, "gossip_steps", s.count("2"))
		s.key(20, "pairwise", s.number("1", "10"))
	}
	if kind == "gossip-sgd" {
		s.key(20, "batch", s.count("1"))
	}
	switch s.r.IntN(6) {
	case 0:
		s.key(100, "acceleration", s.of("chebyshev", "none"))
	case 1:
		s.key(100, "wake", s.of("all", "edges"))
	case 2:
		s.key(100, "dropout", s.number("0.3"))
	case 3:
		s.key(100, "redraw", s.count("2"))
	}
}

func (s *hostileSpec) privacy(kind string) {
	accountants := map[string][]string{"walk": {"published", "local", "path"}, "gossip": {"published", "local", "exact"}, "central": {"published", "tight"}}[kind]
	if accountants == nil {
		accountants = []string{"published", "local"}
	}
	s.section("privacy")
	if s.chance(65) {
		s.key(100, "sigma", s.number("1", "4", "0"))
	} else {
		s.key(100, "calibrate", fmt.Sprintf("{%s: %s}", s.of("mean", "max"), s.number("1", "5")))
	}
	s.key(40, "accountant", s.of(accountants...))
	if !strings.HasPrefix(kind, "gossip") {
		s.key(30, "release", s.of("final", "none"))
	}
	if s.chance(50) {
		s.key(50, "metric", "{renyi: "+s.number("2", "1.5", "8")+"}")
	} else {
		s.key(50, "metric", "{epsilon_at_delta: "+s.number("0.1", "1e-6", "0.001")+"}")
	}
	s.key(20, "sender", s.of("known", "hidden"))
	s.key(20, "condition", s.of("weakest", "printed"))
	s.key(20, "conversion", s.of("mironov", "cks"))
}

var notANumber = regexp.MustCompile(`\bNaN\b`)

// Whatever numbers and graphs a user gives, a command answers in numbers or
// says what is wrong and what to do; it does not panic, and never prints NaN.
func TestHostileValues(t *testing.T) {
	if testing.Short() {
		t.Skip("prices only: run without the race detector")
	}
	for name, draw := range hostileKinds {
		t.Run(name, func(t *testing.T) {
			for seed := *hostileFrom; seed < *hostileFrom+*hostileCommands; seed++ {
				dir := t.TempDir()
				args := draw(hostile{rand.New(rand.NewPCG(uint64(seed), 0)), dir})
				tryHostile(t, seed, args, filepath.Join(dir, "spec.yaml"))
			}
		})
	}
}

// What once ended in a panic, in a NaN or without memory.
func TestHostileValuesOfOld(t *testing.T) {
	for i, line := range []string{
		"privacy complete --nodes=-1 --steps=4 --eps=1e-160",
		"privacy complete --nodes=5 --steps=0 --sigma=1",
		"privacy gamma --least=2 --most=8 --theta=5e-324 --eps=1",
		"privacy gamma --least=2 --most=8 --theta=8 --eps=1e12",
		"privacy gamma --least=1e-3 --most=8 --theta=1 --eps=1e300 --json",
		"privacy gamma --least=1 --most=3 --eps=1e12 --delta=1e-3",
		"privacy admm --variant=federated --nodes=5 --rounds=1 --participations=1 --lipschitz=0.5 --gamma=8 --sigma=1e-16 --json",
		"privacy admm --variant=federated --nodes=1 --rounds=1 --lipschitz=0.5 --gamma=5e-324 --sigma=0.5 --alpha=8",
		"privacy admm --variant=federated --nodes=5 --rounds=1 --lipschitz=1 --gamma=1 --sigma=1e-5 --alpha=1e6",
		"privacy ring --nodes=1000000000 --rounds=1000000000 --sigma=1 --colluders=3,5",
		"privacy ring --nodes=1000000000 --rounds=3 --sigma=1 --colluders=3,5",
		"privacy walk --graph=balanced:r=2,h=2 --steps=1000000000 --sigma=2 --edge-cap=20 --paths=5",
		"privacy walk --graph=ring:8,directed --steps=1000000000 --sigma=2",
	} {
		tryHostile(t, i, strings.Fields(line), "")
	}
}

// hostilePatience is how long a command may take before it is interrupted.
const hostilePatience = 3 * time.Second

func tryHostile(t *testing.T, seed int, args []string, spec string) {
	text, _ := os.ReadFile(spec)
	t.Logf("%d: hearsay %s\n%s", seed, strings.Join(args, " "), text)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	defer time.AfterFunc(hostilePatience, stop).Stop()
	var stdout, stderr bytes.Buffer
	began := time.Now()
	code := run(ctx, args, &stdout, &stderr)
	t.Logf("exit code %d after %v", code, time.Since(began).Round(time.Millisecond))
	complaint := stderr.String()
	if code != form.ExitOK {
		t.Log(complaint)
	}
	switch {
	case code != form.ExitOK && strings.Contains(complaint, "stopped before the end"):
		t.Logf("SLOW")
	case code != form.ExitOK && (!strings.Contains(complaint, "\nhint: ") && !strings.HasPrefix(complaint, "hint: ") ||
		strings.Contains(complaint, "fault of Hearsay itself")):
		t.Errorf("hearsay %s\n%s: no hint of its own:\n%s", strings.Join(args, " "), text, complaint)
	case notANumber.MatchString(stdout.String()):
		t.Errorf("hearsay %s\n%s: prints NaN:\n%s", strings.Join(args, " "), text, stdout.String())
	case notANumber.MatchString(complaint) && !strings.Contains(strings.Join(args, " ")+string(text), "nan"):
		t.Errorf("hearsay %s\n%s: complains of NaN:\n%s", strings.Join(args, " "), text, complaint)
	}
}
