// Package house holds the tests of the architecture itself.
package house

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/internal/testdata"
)

// A room is a package path below the module, or a folder of packages when it
// ends in "/".
type room = string

// numbers is a room that every other may import: it stands in for the standard library's math.
const numbers = "internal/math"

// front is the package in the module's root.
const front = "."

// mayImport says which rooms each room may import, or each package of a folder. A room that is not
// listed fails the test: a new room is a decision.
var mayImport = map[room][]room{
	front:                   {"experiment", "fault", "graph", "internal/family", "privacy", "report", "schedule", "spec"},
	"fault":                 {},
	"internal/testdata":     {},
	"internal/draws":        {},
	"internal/drawntest":    {},
	"internal/house":        {},
	"internal/chart":        {},
	"internal/spread":       {},
	"internal/digits":       {},
	"internal/chebyshev":    {"internal/parallel", "internal/spectral", "sparse", "step"},
	"internal/exact":        {"internal/tile", "sparse"},
	"internal/graphtest":    {"graph"},
	"internal/parallel":     {},
	"internal/scatter":      {"fault", "internal/parallel", "internal/tile", "step"},
	"internal/math":         {},
	"internal/sparsetest":   {"sparse", "step"},
	"internal/spectral":     {"sparse"},
	"internal/subspace":     {"internal/exact", "internal/tile", "sparse"},
	"internal/tile":         {"sparse"},
	"sparse":                {},
	"step":                  {},
	"internal/state":        {"step"},
	"internal/loopback":     {"fault"},
	"internal/regular":      {},
	"internal/resident":     {},
	"internal/hostname":     {},
	"internal/visible":      {},
	"internal/kept":         {"fault", "internal/regular", "privacy"},
	"internal/textfile":     {"fault"},
	"internal/yamltext":     {"fault", "internal/textfile"},
	"spec":                  {"internal/scatter", "fault", "internal/regular", "internal/textfile", "internal/yamltext"},
	"graph":                 {"fault", "internal/spectral", "sparse", "step"},
	"graph/gen":             {"fault", "graph", "sparse", "step"},
	"graph/graphfile":       {"graph", "graph/gen", "fault", "internal/regular", "internal/textfile"},
	"model":                 {"internal/tile", "sparse"},
	"noise":                 {"sparse", "step"},
	"noise/discrete":        {"step"},
	"node/wire":             {"fault", "step"},
	"node/identity":         {"fault", "internal/regular"},
	"node/transport":        {"fault", "node/identity", "step"},
	"node/secret":           {"noise", "noise/discrete", "step"},
	"node/pairing":          {"fault", "node/identity", "noise", "noise/discrete", "step"},
	"node/ledger":           {"fault", "internal/regular", "step"},
	"node/policy":           {"fault", "internal/digits", "privacy", "internal/regular", "internal/yamltext"},
	"dataset":               {"internal/scatter", "fault", "internal/parallel", "sparse", "step", "internal/regular", "internal/textfile", "internal/yamltext"},
	"dataset/fetch":         {"dataset", "fault", "internal/regular"},
	"schedule":              {"fault", "model", "sparse", "step"},
	"algo/descent":          {"algo/prox", "sparse", "model", "noise", "step"},
	"algo/prox":             {"model", "sparse"},
	"algo/fixedpoint":       {"algo/admm", "algo/descent", "algo/prox", "model", "noise", "sparse", "step"},
	"algo/gossip":           {"algo/descent", "algo/rollcall", "internal/state", "sparse", "model", "noise", "schedule", "step"},
	"algo/admm":             {"algo/descent", "algo/prox", "algo/walk", "internal/state", "model", "noise", "schedule", "sparse", "step"},
	"algo/rollcall":         {"internal/state", "step"},
	"algo/sum":              {"algo/descent", "algo/walk", "model", "noise", "schedule", "step"},
	"algo/walk":             {"algo/descent", "internal/state", "sparse", "model", "noise", "schedule", "step"},
	"privacy":               {"fault", "internal/digits", "sparse"},
	"privacy/walkpublished": {"fault", "internal/digits", "internal/chebyshev", "schedule", "sparse", "privacy"},
	"privacy/walkpath":      {"fault", "internal/digits", "internal/parallel", "internal/tile", "model", "privacy/walkpath/allpairs", "schedule", "sparse", "privacy", "step"},
	"privacy/gossipview":    {"fault", "internal/digits", "internal/exact", "internal/parallel", "internal/subspace", "schedule", "sparse", "privacy", "step"},
	"privacy/sums":          {"fault", "model", "schedule", "privacy", "privacy/walkpath"},
	"privacy/flow":          {"fault", "internal/parallel", "model", "schedule", "sparse", "privacy", "privacy/gossipview", "step"},
	"privacy/pairwise":      {"fault", "internal/parallel", "schedule", "sparse", "step", "privacy", "privacy/gossipview"},
	"privacy/gamma":         {"fault", "internal/digits", "privacy"},
	"privacy/admmview":      {"fault", "internal/digits", "internal/parallel", "schedule", "privacy", "privacy/walkpath", "step"},
	"privacy/audit":         {"fault", "privacy"},
	"sim":                   {"algo/", "fault", "model", "noise", "schedule", "sparse", "step"},
	"report":                {"internal/scatter", "graph", "fault", "internal/chart", "internal/digits", "internal/regular", "internal/safetensors", "internal/spread", "internal/textfile", "sparse", "step"},
	"trainer":               {"fault", "internal/safetensors", "internal/tile", "model", "report", "sparse"},
	"internal/safetensors":  {},
	"trained":               {"internal/scatter", "dataset", "fault", "internal/parallel", "internal/regular", "model", "report", "step"},
	"internal/family": {
		"algo/descent", "algo/prox", "attack/walklikelihood", "dataset", "fault", "graph", "graph/", "internal/digits", "internal/parallel", "model", "noise", "privacy", "privacy/walkpath", "report", "schedule", "sim", "sparse", "spec", "step",
	},
	"internal/family/admmfamily": {
		"algo/", "fault", "internal/family", "internal/family/admmwalk", "model", "privacy", "privacy/", "report", "schedule", "sim", "spec", "step",
	},
	"internal/family/admmwalk": {
		"algo/admm", "algo/descent", "algo/walk", "fault", "internal/family", "internal/family/walkfamily", "model", "privacy", "privacy/admmview", "privacy/walkpath",
		"report", "sim", "spec", "step",
	},
	"internal/family/baseline": {"algo/walk", "fault", "internal/family", "internal/family/walkfamily", "privacy", "spec"},
	"internal/family/complete": {
		"algo/walk", "fault", "internal/family", "internal/family/walkfamily", "privacy", "privacy/walkpath", "privacy/walkpublished", "report", "spec", "step",
	},
	"internal/family/fixedpointfamily": {
		"algo/descent", "algo/fixedpoint", "algo/walk", "fault", "internal/family", "noise", "privacy", "privacy/walkpath", "report", "schedule", "sparse", "spec", "step",
	},
	"internal/family/gossipfamily": {
		"algo/", "attack", "fault", "graph", "graph/", "internal/family", "model", "noise", "privacy", "privacy/", "report", "schedule", "sim",
		"sparse", "spec", "step",
	},
	"internal/family/sumsfamily": {
		"algo/", "attack/walklikelihood", "fault", "graph", "internal/family", "internal/family/walkfamily", "model", "noise", "privacy", "privacy/", "report", "schedule", "sim", "spec", "step",
	},
	"internal/family/walkfamily": {
		"algo/", "attack/walklikelihood", "fault", "internal/family", "model", "noise", "privacy", "privacy/", "report", "schedule", "sim", "sparse", "spec", "step",
	},
	"privacy/walkpath/allpairs": {
		"fault", "internal/tile", "sparse",
	},
	"internal/family/weighted": {
		"algo/walk", "fault", "graph", "internal/family", "internal/family/walkfamily", "model", "privacy", "privacy/gamma", "report", "spec", "step",
	},
	"internal/flowpicture": {
		"internal/chart", "privacy/flow",
	},
	"internal/family/toytest":    {},
	"internal/family/familytest": {"internal/family", "spec"},
	"experiment": {
		"attack/membership", "internal/family", "internal/family/", "algo/", "dataset", "graph", "graph/", "fault", "internal/parallel", "internal/regular", "internal/spread", "internal/visible", "sparse", "model", "noise",
		"privacy", "privacy/", "report", "schedule", "sim", "spec", "step", "trained",
	},
	"attack":                   {"fault", "internal/exact", "internal/parallel", "internal/textfile", "privacy/gossipview", "sparse"},
	"attack/gradientinversion": {"algo/gossip", "fault", "internal/parallel", "internal/tile", "model", "privacy/gossipview", "sparse", "step"},
	"attack/membership":        {"privacy", "privacy/audit", "sparse"},
	"attack/walklikelihood":    {"fault", "privacy", "privacy/walkpath", "schedule", "sparse", "step"},
	"attack/rehearsal":         {"algo/descent", "algo/gossip", "attack", "fault", "model", "noise", "privacy", "sim", "sparse", "step"},
	"sweep":                    {"fault", "internal/chart", "internal/spread", "privacy", "internal/regular", "internal/yamltext", "report", "sim"},
	"sweep/columnar":           {"report", "sweep"},
	"sweep/figure":             {"fault", "report", "sweep"},
	"sweep/cells":              {"experiment", "fault", "graph/gen", "internal/regular", "queue", "report", "spec", "sweep"},
	"queue":                    {"fault", "internal/regular"},
	"queue/server":             {"fault", "internal/regular", "queue"},
	"queue/pairs":              {"privacy/walkpath", "privacy/walkpath/allpairs", "queue"},
	"papers": {
		"internal/family", "internal/family/", "algo/", "attack", "attack/", "experiment", "internal/chart", "internal/regular", "graph", "graph/", "fault", "model", "noise", "sparse", "privacy", "privacy/",
		"report", "schedule", "sim", "spec", "step",
	},
	"node": {"fault", "node/ledger", "node/transport", "node/wire", "step"},
	"federation": {
		"internal/family", "internal/family/", "algo/", "dataset", "experiment", "federation/budget", "graph", "graph/", "fault", "internal/hostname", "internal/regular", "internal/spread", "internal/textfile", "internal/visible", "model", "node", "node/", "noise", "noise/",
		"privacy", "privacy/", "report", "schedule", "spec", "step",
	},
	"federation/assembly": {
		"dataset", "experiment", "fault", "federation", "graph/gen", "internal/regular", "internal/textfile", "internal/visible", "node/identity", "spec",
	},
	"dossier": {"experiment", "fault", "federation", "internal/family", "internal/regular", "internal/visible", "internal/yamltext", "node/identity", "privacy", "report", "spec"},
	"rehearse": {
		"dataset", "experiment", "fault", "federation", "internal/family", "internal/spread", "internal/textfile", "model", "node/identity", "node/policy", "report", "sim", "sparse", "spec", "step",
	},
	"design": {
		"experiment", "fault", "graph", "graph/gen", "graph/graphfile", "internal/chart", "internal/digits", "internal/family", "internal/regular", "internal/spread", "internal/yamltext", "model", "privacy", "privacy/walkpath",
		"report", "sim", "spec", "step",
	},
	"federation/budget": {"fault", "node/ledger", "privacy"},
	"federation/demo": {
		"dataset", "experiment", "federation", "fault", "internal/loopback", "internal/regular", "model", "node", "node/identity", "node/ledger", "spec", "step",
	},
	"federation/faults": {},
	"web":               {"fault", "graph", "internal/hostname", "internal/regular", "report", "sweep"},
	"web/site":          {"internal/regular"},
	"web/nodes": {
		"experiment", "fault", "federation", "internal/regular", "node", "node/", "privacy", "report", "web",
	},
	"web/webtest": {"graph", "graph/gen", "report", "sweep", "web"},
	"web/browser": {},
	"cmd/release": {"fault", "internal/regular"},
	"cmd/measure": {"fault", "internal/chart", "internal/regular", "internal/yamltext"},
	"answer/": {
		"internal/family", "internal/family/", "algo/", "attack", "attack/", "dataset", "dataset/fetch", "dossier", "experiment", "federation", "federation/", "graph", "graph/",
		"fault", "internal/chart", "internal/flowpicture", "internal/kept", "internal/parallel", "internal/regular", "internal/resident", "internal/terminal", "internal/textfile", "internal/visible", "sparse", "model", "node", "node/", "noise", "papers", "queue", "queue/", "sweep", "sweep/", "privacy",
		"privacy/", "design", "rehearse", "report", "schedule", "sim", "spec", "step", "trained", "trainer",
		"web", "web/nodes",
		"answer/",
	},
	"internal/terminal": {"internal/visible"},
	"cmd/hearsay": {
		"answer/", "internal/terminal",
		"internal/family", "internal/family/", "algo/", "attack", "attack/", "dataset", "dataset/fetch", "dossier", "experiment", "federation", "federation/", "graph", "graph/",
		"fault", "internal/chart", "internal/flowpicture", "internal/kept", "internal/parallel", "internal/regular", "internal/resident", "internal/textfile", "internal/visible", "sparse", "model", "node", "node/", "noise", "papers", "queue", "queue/", "sweep", "sweep/", "privacy",
		"privacy/", "rehearse", "report", "schedule", "sim", "spec", "step", "trained",
		"web", "web/nodes", "web/site", front,
	},
}

// pure rooms know no clock, no disk, no network, no locks and no secret.
var pure = []room{
	"step", "sparse", "schedule", "graph", "graph/gen", "model", "noise", "noise/", "algo/", "privacy", "privacy/", "attack", "attack/gradientinversion", "attack/membership", "attack/walklikelihood", "node/wire",
}

// impure are the packages that they may therefore not import.
var impure = []string{"net", "net/http", "os", "time", "log", "log/slog", "sync", "sync/atomic", "crypto/rand"}

type listed struct {
	ImportPath                         string
	Imports, TestImports, XTestImports []string
}

const module = "github.com/hearsay-dp/hearsay"

// packages asks the go command for every package of the module.
func packages(t *testing.T) []listed {
	command := exec.Command("go", "list", "-json=ImportPath,Imports,TestImports,XTestImports", module+"/...")
	out, err := command.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []listed
	decoder := json.NewDecoder(bytes.NewReader(out))
	for {
		var p listed
		switch err := decoder.Decode(&p); {
		case errors.Is(err, io.EOF):
			return all
		case err != nil:
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

// roomOf returns the room of a package of the module.
func roomOf(path string) room {
	if path == module {
		return front
	}
	return strings.TrimPrefix(path, module+"/")
}

// in reports whether path is one of rooms or lies in one of their folders.
func in(path string, rooms []room) bool {
	return slices.ContainsFunc(rooms, func(r room) bool {
		return path == r || strings.HasSuffix(r, "/") && strings.HasPrefix(path, r)
	})
}

// Imports follow the arrows of docs/ARCHITECTURE.md.
func TestImportsFollowTheArrows(t *testing.T) {
	for _, p := range packages(t) {
		path := roomOf(p.ImportPath)
		allowed, known := mayImport[path]
		if !known {
			folder, _, _ := strings.Cut(path, "/")
			allowed, known = mayImport[folder+"/"]
		}
		if !known {
			t.Errorf("%s is not a known room: add it here and to docs/ARCHITECTURE.md, or put the code where it belongs", path)
		}
		for _, imported := range p.Imports {
			if own := roomOf(imported); strings.HasPrefix(imported, module) && own != numbers && !in(own, allowed) {
				t.Errorf("%s imports %s, which is against the arrows", path, own)
			}
		}
	}
}

// A wing is what a paragraph of docs/ARCHITECTURE.md says of some rooms. Names of rooms that end in
// "/" are folders.
type wing struct {
	name           string
	rooms, imports []string
}

var (
	wingText = regexp.MustCompile(`(?s)\n\*\*([^*]+)\*\*: [^\n]+\nRooms: (.+?)\nMay import: ([^\n]+)\.\n`)
	quoted   = regexp.MustCompile("`([^`{]+)(?:{([^`}]+)})?`")
)

// wings reads the wings of a page, in its order.
func wings(page string) (all []wing) {
	for _, m := range wingText.FindAllStringSubmatch(page, -1) {
		w := wing{name: strings.ToLower(m[1])}
		for _, room := range quoted.FindAllStringSubmatch(m[2], -1) {
			for end := range strings.SplitSeq(room[2], ",") {
				w.rooms = append(w.rooms, room[1]+end)
			}
		}
		if m[3] != "nothing" {
			w.imports = strings.Split(m[3], ", ")
		}
		all = append(all, w)
	}
	return all
}

// wingOf returns the wing with a room, nil if there is none, and reports an error if there are several.
func wingOf(all []wing, path room) (found *wing, err error) {
	for i := range all {
		if in(path, all[i].rooms) {
			if found != nil {
				return nil, fmt.Errorf("%s is in the wings %s and %s", path, found.name, all[i].name)
			}
			found = &all[i]
		}
	}
	if found == nil {
		return nil, fmt.Errorf("%s is in no wing: add it to one of docs/ARCHITECTURE.md", path)
	}
	return found, nil
}

// Every room is in one wing of docs/ARCHITECTURE.md, wings import what the page says and nothing else,
// and only wings that stand above them.
func TestWingsAreAsThePageSays(t *testing.T) {
	page, err := os.ReadFile("../../docs/ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	all := wings(string(page))
	if len(all) != 6 {
		t.Fatalf("docs/ARCHITECTURE.md has %d wings, want 6", len(all))
	}
	var known []string // rooms that there are
	used := map[string]bool{}
	for _, p := range packages(t) {
		path := roomOf(p.ImportPath)
		known = append(known, path)
		own, err := wingOf(all, path)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, imported := range p.Imports {
			if !strings.HasPrefix(imported, module) {
				continue
			}
			other, err := wingOf(all, roomOf(imported))
			if err != nil || other == own {
				continue
			}
			used[own.name+" imports "+other.name] = true
			if !slices.Contains(own.imports, other.name) {
				t.Errorf("%s imports %s, and the wing %s does not import %s", path, roomOf(imported), own.name, other.name)
			}
		}
	}
	checkWings(t, all, known, used)
}

// checkWings refuses rooms of wings that are no packages, and imports that nobody uses or that point down the page.
func checkWings(t *testing.T, all []wing, known []string, used map[string]bool) {
	var above []string
	for _, w := range all {
		for _, r := range w.rooms {
			if !slices.ContainsFunc(known, func(path string) bool { return in(path, []room{r}) }) {
				t.Errorf("docs/ARCHITECTURE.md: the wing %s has a room %s, and there is none", w.name, r)
			}
		}
		for _, imported := range w.imports {
			if !slices.Contains(above, imported) || !used[w.name+" imports "+imported] {
				t.Errorf("docs/ARCHITECTURE.md: the wing %s says that it imports %s, which does not stand above it or is imported by no room of it", w.name, imported)
			}
		}
		above = append(above, w.name)
	}
}

// concurrent are the rooms through which pure ones may run on several
// goroutines: what they compute does not depend on it.
var concurrent = []room{"internal/parallel"}

// Pure rooms import nothing that has effects, directly or through other rooms.
func TestPureRoomsStayPure(t *testing.T) {
	all := map[string]listed{}
	for _, p := range packages(t) {
		all[roomOf(p.ImportPath)] = p
	}
	for path := range all {
		if in(path, pure) {
			checkPure(t, all, path, path, map[string]bool{})
		}
	}
}

// checkPure looks at a room that from imports, by way of others or itself.
func checkPure(t *testing.T, all map[string]listed, from, path string, seen map[string]bool) {
	if seen[path] || in(path, concurrent) {
		return
	}
	seen[path] = true
	for _, imported := range all[path].Imports {
		if slices.Contains(impure, imported) {
			t.Errorf("%s is meant to be pure, and imports %s by way of %s", from, imported, path)
		}
		if own, ok := strings.CutPrefix(imported, module+"/"); ok {
			checkPure(t, all, from, own, seen)
		}
	}
}

// Property tests draw the same cases for everybody, unless asked for others: a test
// that fails for one in a hundred fails for somebody who changed nothing.
func TestPropertyTestsDrawTheSameForEverybody(t *testing.T) {
	testdata.Sequential(t)
	for _, p := range packages(t) {
		tests := slices.Concat(p.TestImports, p.XTestImports)
		if slices.Contains(tests, "pgregory.net/rapid") && !slices.Contains(tests, module+"/internal/draws") {
			t.Errorf("tests of %s use rapid: import _ %q there", p.ImportPath, module+"/internal/draws")
		}
	}
}

// YAML is read and written in one room. The library's decoder loses mappings with keys that
// are no texts, and has no limits.
func TestYAMLIsReadInOneRoom(t *testing.T) {
	testdata.Sequential(t)
	for _, p := range packages(t) {
		for _, imported := range slices.Concat(p.Imports, p.TestImports, p.XTestImports) {
			if strings.Contains(imported, "yaml") && !strings.HasPrefix(imported, module+"/") && p.ImportPath != module+"/internal/yamltext" {
				t.Errorf("%s imports %s: use internal/yamltext", p.ImportPath, imported)
			}
		}
	}
}

// What the program does not use is not linked: the transport is composed of the
// parts of libp2p that it needs.
func TestTheProgramLinksNothingItDoesNotUse(t *testing.T) {
	testdata.Sequential(t)
	out, err := exec.Command("go", "list", "-deps", module+"/cmd/hearsay").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for path := range strings.Lines(string(out)) {
		for _, heavy := range []string{"github.com/pion/", "go.uber.org/fx", "go.uber.org/dig", "libp2p/p2p/transport/web"} {
			if strings.Contains(path, heavy) {
				t.Errorf("the program links %s", strings.TrimSpace(path))
			}
		}
	}
}
