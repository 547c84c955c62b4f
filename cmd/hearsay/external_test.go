//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hearsay-dp/hearsay/internal/loopback"
	"github.com/hearsay-dp/hearsay/internal/testdata"
)

// slowModel is a linear model of numpy, whose program takes its time.
const slowModel = `
import sys, time
sys.path.insert(0, %q)
import numpy, hearsay.trainer
rng = numpy.random.default_rng(1)
rows = [(rng.normal(size=3), rng.normal()) for _ in range(40)]
def gradients(p, xs, ys):
    time.sleep(0.15)
    slopes = xs @ p["w"] - ys
    return {"w": slopes[:, None] * xs}
hearsay.trainer.serve(gradients=gradients, parameters={"w": numpy.zeros(3)}, train=rows, name="slow")
`

// A participant runs a node and its program as processes.
type participant struct {
	name, folder, program string
	node                  *exec.Cmd
	ended                 chan error
}

func (s *participant) start(t *testing.T) {
	t.Helper()
	log, err := os.OpenFile(filepath.Join(s.folder, s.name+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	s.node = exec.Command("hearsay", "node", "spec.yaml", "--name", s.name, "--model", s.program)
	s.node.Dir, s.node.Stdout, s.node.Stderr = s.folder, log, log
	if err := s.node.Start(); err != nil {
		t.Fatal(err)
	}
	s.ended = make(chan error, 1)
	go func(node *exec.Cmd, ended chan error) { ended <- node.Wait() }(s.node, s.ended)
}

// federate writes three keys, policies, a program and a spec of so many turns.
func federate(t *testing.T, interpreter string, turns int) []*participant {
	t.Helper()
	folder := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run := func(arguments ...string) string {
		cmd := exec.Command("hearsay", arguments...)
		cmd.Dir = folder
		said, err := cmd.Output()
		if err != nil {
			t.Fatalf("hearsay %v: %v", arguments, err)
		}
		return strings.TrimSpace(string(said))
	}
	write("model.py", fmt.Sprintf(slowModel, python(t)))
	program := fmt.Sprintf("'%s' -B model.py", interpreter)
	var checked struct{ Layout, Initial string }
	if err := json.Unmarshal([]byte(run("model", "check", "--model", program, "--rows", "8", "--json")), &checked); err != nil {
		t.Fatal(err)
	}
	ports, err := loopback.Hold(3)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ports.Close() })
	var sites []*participant
	list := ""
	for i, name := range []string{"ada", "bob", "cy"} {
		list += fmt.Sprintf("  - {name: %s, key: %s, addresses: [%s], rows: 40}\n", name, run("keys", "--out", name+".key"), ports[i].Multiaddress())
		write(name+".policy.yaml", "unit: record\ndelta: 1.0e-5\nepsilon: {neighbours: .inf, others: .inf}\nmodels: [external:slow]\nprograms: [slow]\n")
		sites = append(sites, &participant{name: name, folder: folder, program: program})
	}
	write("spec.yaml", fmt.Sprintf("participants:\n%sdata: {source: external}\ngraph: complete:3\nmodel: {kind: external, name: slow, parameters: 3, layout: %s, initial: %s, task: regression}\n"+
		"algorithm: {kind: gossip-gd, steps: %d, step_size: 0.1, clip: 1, radius: 4}\nprivacy: {unit: record, sigma: 2, accountant: local, metric: {epsilon_at_delta: 1.0e-5}}\nfederation: {linger: 60s}\n",
		list, checked.Layout, checked.Initial, turns))
	return sites
}

// Nodes and programs are killed again and again while they ask and answer: all come to the end, each turn is released once, and
// the ledgers hold.
func TestNodesAndProgramsAreKilledWhileTheyAsk(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped under -short")
	}
	interpreter := "/usr/bin/python3"
	if exec.Command(interpreter, "-c", "import numpy").Run() != nil {
		t.Skip("SKIPPED: there is no numpy; Debian has it as python3-numpy")
	}
	testdata.Sequential(t)
	const turns = 40
	sites := federate(t, interpreter, turns)
	for _, s := range sites {
		s.start(t)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 8 {
		time.Sleep(time.Duration(300+rng.IntN(700)) * time.Millisecond)
		s := sites[rng.IntN(len(sites))]
		if rng.IntN(2) == 0 { // the node: its program ends with it
			_ = s.node.Process.Kill()
			<-s.ended
			s.start(t)
			continue
		}
		_ = exec.Command("pkill", "-KILL", "-P", fmt.Sprint(s.node.Process.Pid)).Run()
	}
	for _, s := range sites {
		select {
		case err := <-s.ended:
			if err != nil {
				said, _ := os.ReadFile(filepath.Join(s.folder, s.name+".log"))
				t.Fatalf("%s: %v\n%s", s.name, err, said)
			}
		case <-time.After(3 * time.Minute):
			_ = s.node.Process.Signal(syscall.SIGQUIT)
			said, _ := os.ReadFile(filepath.Join(s.folder, s.name+".log"))
			t.Fatalf("%s goes on\n%s", s.name, said)
		}
		said, err := os.ReadFile(filepath.Join(s.folder, "hearsay-"+s.name, "report.json"))
		if err != nil {
			t.Fatal(err)
		}
		var report struct {
			Ended    bool
			Complete bool
			Privacy  struct{ Contributed int }
		}
		if err := json.Unmarshal(said, &report); err != nil || !report.Ended || !report.Complete || report.Privacy.Contributed != turns {
			t.Errorf("%s: %+v, %v", s.name, report, err)
		}
		if said, err := exec.Command("hearsay", "ledger", "verify", filepath.Join(s.folder, "hearsay-"+s.name, "ledger.db")).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", s.name, err, said)
		}
		if _, err := os.Stat(filepath.Join(s.folder, "hearsay-"+s.name, "model.safetensors")); err != nil {
			t.Error(err)
		}
	}
}

// A federation of an external model is assembled with programs in place of files: each says how many rows it holds, and whoever has another
// program is refused.
func TestAFederationOfProgramsIsAssembled(t *testing.T) {
	interpreter := "/usr/bin/python3"
	if exec.Command(interpreter, "-c", "import numpy").Run() != nil {
		t.Skip("SKIPPED: there is no numpy; Debian has it as python3-numpy")
	}
	folder := t.TempDir()
	run := func(arguments ...string) (string, error) {
		cmd := exec.Command("hearsay", arguments...)
		cmd.Dir = folder
		said, err := cmd.CombinedOutput()
		return string(said), err
	}
	text := fmt.Sprintf(slowModel, python(t))
	for name, text := range map[string]string{"model.py": text, "other.py": strings.ReplaceAll(strings.ReplaceAll(text, "size=3", "size=4"), "zeros(3)", "zeros(4)")} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	program := "'" + interpreter + "' -B model.py"
	said, err := run("model", "check", "--model", program, "--rows", "8")
	if err != nil || !strings.Contains(said, "task: regression") {
		t.Fatal(said, err)
	}
	model, _, _ := strings.Cut(said[strings.Index(said, "model:"):], "\n\n")
	if err := os.WriteFile(filepath.Join(folder, "spec.yaml"), []byte(model+"\ngraph: complete:2\nalgorithm: {kind: gossip-gd, steps: 5, step_size: 0.1, clip: 1, radius: 4}\n"+
		"privacy: {unit: record, sigma: 2, accountant: local, metric: {epsilon_at_delta: 1.0e-5}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		says      string
		fails     bool
		arguments []string
	}{
		{"Next", false, []string{"federation", "new", "f", "--as", "ada", "--from", "spec.yaml"}},
		{"accept f --model PROGRAM", false, []string{"federation", "invite", "f", "ada", "bob"}},
		{"the spec says 3, and the program 4", true, []string{"federation", "accept", "f", "--model", "'" + interpreter + "' -B other.py", "--address", "127.0.0.1:4100"}},
		{"no program answers for slow", true, []string{"federation", "accept", "f", "--address", "127.0.0.1:4100"}},
		{"leave --data out", true, []string{"federation", "accept", "f", "--data", "spec.yaml", "--address", "127.0.0.1:4100"}},
		{"the program has 40", true, []string{"federation", "accept", "f", "--model", program, "--rows", "41", "--address", "127.0.0.1:4100"}},
		{"slow, which a program of each participant computes", false, []string{"federation", "accept", "f", "--model", program, "--address", "127.0.0.1:4100"}},
		{"that there are 30", false, []string{"federation", "accept", "f/federation.txt", "--as", "bob", "--model", program, "--rows", "30", "--address", "127.0.0.1:4101"}},
		{"policy", false, []string{"federation", "add", "f", "federation-bob/federation.txt"}},
		{"bob", false, []string{"plan", "f/spec.yaml", "--name", "ada"}},
		{"no participants", true, []string{"rehearse", "f/spec.yaml", "--model", program}},
	} {
		said, err := run(step.arguments...)
		if (err != nil) != step.fails || !strings.Contains(said, step.says) {
			t.Errorf("hearsay %v: %v\n%s", step.arguments, err, said)
		}
	}
}
