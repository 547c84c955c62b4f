package dossier

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/experiment"
	_ "github.com/hearsay-dp/hearsay/internal/draws"
	"github.com/hearsay-dp/hearsay/node/identity"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/spec"
)

func newKey(t testing.TB) identity.Key {
	t.Helper()
	key, err := identity.Generate(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// federated is a spec of so many participants on a ring, whose keys nobody has, but for the first:
// it is key's.
func federated(t testing.TB, n int, key identity.Key, text string) *spec.Spec {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "name: <script>alert(1)</script> & a “federation”\ngraph: ring:%d\nparticipants:\n", n)
	for i := range n {
		peer := key.Peer()
		if i > 0 {
			peer = newKey(t).Peer()
		}
		fmt.Fprintf(&b, "  - {name: p%d, key: %s, addresses: [/ip4/127.0.0.1/tcp/%d]}\n", i, peer, 2000+i)
	}
	s, err := experiment.Parse([]byte(b.String()+text), "spec.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const learning = "data: {source: csv, target: ill, classes: [no, yes], ranges: {age: [20, 90]}, test: 0.25}\nmodel: {kind: logistic}\n" +
	"algorithm: {kind: gossip-gd, steps: 3, step_size: 0.5, clip: 1}\nprivacy: {sigma: 4, accountant: local}\n"

const walking = "data: {source: csv, target: ill, classes: [no, yes], ranges: {age: [20, 90]}, test: 0.25}\nmodel: {kind: logistic}\n" +
	"algorithm: {kind: walk, steps: 12, step_size: 0.3, clip: 0.5, contributions: 4}\nprivacy: {sigma: 4, accountant: local}\n"

func planned(t testing.TB, s *spec.Spec, asks ...Ask) *File {
	t.Helper()
	d, err := Plan(t.Context(), s, Options{Asks: asks})
	if err != nil {
		t.Fatal(err)
	}
	f, err := Write(d)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// A dossier is what it says: its page can be made again, its numbers can be worked out again,
// its signers are named by its spec, and the answer about a pair is in it.
func TestADossierIsChecked(t *testing.T) {
	key, other := newKey(t), newKey(t)
	f := planned(t, federated(t, 5, key, learning), Ask{"p1", "3"})
	f.Sign(key)
	f.Sign(other)
	f.Sign(key) // once is enough
	again, err := Read(f.Bytes(), "board.html")
	if err != nil {
		t.Fatal(err)
	}
	c, err := again.Verify(Expect{Keys: []identity.Peer{other.Peer()}, Hash: f.Hash}, "board.html")
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Signers) != 2 || c.Signers[0].Name != "p0" || c.Signers[1].Name != "" || !strings.HasPrefix(c.Page, "shows") {
		t.Errorf("%+v", c)
	}
	if c, err = again.Recompute(t.Context(), Expect{}, Options{}, "board.html"); err != nil || c.Compared < 10 {
		t.Errorf("%v, %+v", err, c)
	}
	page := string(f.Page)
	for _, want := range []string{"What node 3 (p3) could learn about node 1 (p1)", "all others together", " of 4</td>", f.Hash, "&lt;script&gt;alert(1)"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	for _, bad := range []string{"<script>", "http://", "https://", "NaN", "ZgotmplZ", "%!", "src="} {
		if strings.Contains(page, bad) {
			t.Errorf("the page has %q", bad)
		}
	}
}

// One byte that is changed, added or left out anywhere fails.
func TestAChangedByteFails(t *testing.T) {
	key := newKey(t)
	f := planned(t, federated(t, 3, key, walking))
	f.Sign(key)
	whole := f.Bytes()
	check := func(text []byte) error {
		again, err := Read(text, "board.html")
		if err != nil {
			return err
		}
		if _, err = again.Verify(Expect{Keys: []identity.Peer{key.Peer()}}, "board.html"); err != nil {
			return err
		}
		return nil
	}
	if err := check(whole); err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		text, at := bytes.Clone(whole), rapid.IntRange(0, len(whole)-1).Draw(t, "at")
		switch rapid.IntRange(0, 3).Draw(t, "how") {
		case 0:
			text[at] ^= byte(rapid.IntRange(1, 255).Draw(t, "bits"))
		case 1:
			text = append(text[:at:at], whole[at+1:]...)
		case 2:
			text = append(append(text[:at:at], byte(rapid.IntRange(0, 255).Draw(t, "byte"))), whole[at:]...)
		default:
			text = text[:at]
		}
		if err := check(text); err == nil && !bytes.Equal(text, whole) {
			t.Fatalf("changed at %d of %d, and passed", at, len(whole))
		}
	})
}

// Without signatures a page that does not show what its numbers say fails, and numbers that
// are not those of its spec do where they are worked out again.
func TestNumbersThatAreNotTrue(t *testing.T) {
	f := planned(t, federated(t, 4, newKey(t), learning))
	shown := up(f.Claim.Worst)
	lied, err := Read([]byte(strings.Replace(string(f.Page), "<td class=\"n\" data-label=\"epsilon at most\">"+shown, "<td class=\"n\" data-label=\"epsilon at most\">0.01", 1)), "board.html")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := lied.Verify(Expect{}, "board.html"); err == nil || !strings.Contains(err.Error(), "does not show what its numbers say") {
		t.Errorf("%v", err)
	}
	d := *f.Dossier
	d.Claim.Worst /= 2
	consistent, err := Write(&d)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := consistent.Verify(Expect{}, "board.html"); err != nil {
		t.Fatal(err)
	}
	if _, err := consistent.Recompute(t.Context(), Expect{}, Options{}, "board.html"); err == nil || !strings.Contains(err.Error(), "claim.worst is") {
		t.Errorf("%v", err)
	}
	d = *f.Dossier
	d.Spec = strings.Replace(d.Spec, "sigma: 4", "sigma: 40", 1)
	if consistent, err = Write(&d); err != nil {
		t.Fatal(err)
	}
	if _, err := consistent.Verify(Expect{}, "board.html"); err == nil || !strings.Contains(err.Error(), "states the spec hash") {
		t.Errorf("%v", err)
	}
}

// What is asked for and is not there is an error.
func TestExpectations(t *testing.T) {
	key := newKey(t)
	f := planned(t, federated(t, 3, key, walking))
	for want, e := range map[string]Expect{"is not signed by": {Keys: []identity.Peer{key.Peer()}}, "is about another spec": {Hash: strings.Repeat("0", 64)}} {
		if _, err := f.Verify(e, "board.html"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	for _, ask := range []Ask{{"p0", "p0"}, {"p9", "p0"}, {"p0", "7"}} {
		if _, err := Plan(t.Context(), federated(t, 3, key, walking), Options{Asks: []Ask{ask}}); err == nil {
			t.Errorf("%+v is answered", ask)
		}
	}
	if _, err := Finished(t.Context(), t.TempDir(), Options{}); err == nil || !strings.Contains(err.Error(), "has neither") {
		t.Errorf("%v", err)
	}
}

// A run's folder is told from its files: the numbers are those of result.json, also if they
// are not what would be worked out today, and what cannot be said without data says why.
func TestOfARun(t *testing.T) {
	data := filepath.Join(t.TempDir(), "rows.csv")
	rows := "x,y,label\n"
	for i := range 24 {
		rows += fmt.Sprintf("%d,%d,%d\n", i%5, i%3, i%2)
	}
	if err := os.WriteFile(data, []byte(rows), 0o600); err != nil {
		t.Fatal(err)
	}
	text := "name: a run\ngraph: complete:4\ndata: {source: csv, path: " + data + ", target: label, scale: ranges, ranges: {x: [0, 5], y: [0, 3]}}\n" +
		"algorithm: {kind: gossip-gd, steps: 3, step_size: 0.3, clip: 0.5}\nprivacy: {sigma: 3, accountant: local}\n"
	s, err := experiment.Parse([]byte(text), "spec.yaml")
	if err != nil {
		t.Fatal(err)
	}
	priced, err := experiment.Prepare(t.Context(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	bundle, err := priced.Run(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "out")
	if err := report.WriteDir(t.Context(), dir, bundle); err != nil {
		t.Fatal(err)
	}
	d, err := Finished(t.Context(), dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	f, err := Write(d)
	if err != nil {
		t.Fatal(err)
	}
	if d.About != Simulated || float64(d.Claim.Worst) != float64(leading(&bundle.Result.Privacy).Max) || len(d.Outcome) == 0 || len(d.Without.Each) != 4 || d.Story == "" {
		t.Errorf("%+v", d)
	}
	page, err := d.Page()
	if err != nil || strings.Contains(string(page), "<th>distance</th>") || !strings.Contains(string(page), d.Claim.Metric+", sound") {
		t.Errorf("pairs of a result have no distances, and a status: %v", err)
	}
	if _, err := f.Verify(Expect{}, "board.html"); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Recompute(t.Context(), Expect{}, Options{}, "board.html"); err != nil {
		t.Error(err)
	}
	if err := os.Remove(data); err != nil {
		t.Fatal(err)
	}
	if d, err = Finished(t.Context(), dir, Options{}); err != nil || !strings.Contains(d.Without.Missing, "Not worked out") {
		t.Errorf("without its data: %v, %+v", err, d)
	}
	result := filepath.Join(dir, resultFile)
	if err := os.WriteFile(result, []byte(`{"privacy": {"max": 0.25, "status": "sound"}, "graph": {"nodes": 3}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if d, err = Finished(t.Context(), dir, Options{}); err == nil && float64(d.Claim.Worst) != 0.25 {
		t.Errorf("the worst loss is %v, and the file says 0.25", d.Claim.Worst)
	}
	if err := os.WriteFile(result, []byte(`{`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Finished(t.Context(), dir, Options{}); err == nil {
		t.Error("a damaged file is read")
	}
}

// Numbers are read as they were written, whatever they are.
func TestNumbersAreReadAsWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := Number(rapid.OneOf(rapid.Float64(), rapid.SampledFrom([]float64{math.NaN(), math.Inf(1), 0, -1})).Draw(t, "x"))
		text, err := json.Marshal(x)
		if err != nil {
			t.Fatal(err)
		}
		var y Number
		if err := json.Unmarshal(text, &y); err != nil || !same(float64(x), float64(y)) {
			t.Fatalf("%v became %v by %s: %v", x, y, text, err)
		}
	})
}

// Whatever a file holds, it is a dossier or an error, and what is read is written the same.
func FuzzRead(f *testing.F) {
	key := newKey(f)
	whole := planned(f, federated(f, 3, key, learning))
	whole.Sign(key)
	f.Add(whole.Bytes())
	f.Add([]byte(openNumbers + `{"format":"hearsay dossier 1","spec":"a: [","federated":true}` + closeNumbers))
	f.Add([]byte(openNumbers + `{"format":"hearsay dossier 1"}` + closeNumbers + openSignature + "x y" + closeSignature))
	f.Add([]byte(openNumbers + openNumbers + closeNumbers))
	f.Fuzz(func(t *testing.T, text []byte) {
		file, err := Read(text, "board.html")
		if err != nil {
			return
		}
		if !bytes.Equal(file.Bytes(), text) {
			t.Errorf("read and written it is other bytes")
		}
		_, _ = file.Verify(Expect{}, "board.html")
	})
}

const chromium = "/usr/bin/chromium"

// A dossier prints on two to five sheets, of three participants and of three hundred, and a board decides from the first.
func TestItPrintsOnTwoToFiveSheets(t *testing.T) {
	if testing.Short() {
		t.Skip("[short] a browser takes a while")
	}
	if _, err := os.Stat(chromium); err != nil {
		t.Skipf("SKIPPED: no browser at %s, nothing was printed", chromium)
	}
	t.Parallel() // a browser mostly waits
	key := newKey(t)
	said := make([]Said, len(points))
	for i, p := range points {
		said[i] = Said{p.point, strings.Repeat("so it is agreed ", mostSaid/16)}
	}
	long, err := Plan(t.Context(), federated(t, 3, key, walking), Options{Said: said})
	if err != nil {
		t.Fatal(err)
	}
	all, err := long.Page()
	if err != nil {
		t.Fatal(err)
	}
	three := planned(t, federated(t, 3, key, walking), Ask{"p0", "p1"}).Bytes()
	for name, page := range map[string][]byte{"three": three, "three hundred": planned(t, federated(t, 300, key, learning), Ask{"p7", "p12"}, Ask{"p1", "p2"}).Bytes()} {
		if n := sheets(t, page); n < 2 || n > 5 {
			t.Errorf("%s: %d sheets", name, n)
		}
	}
	first, _, found := bytes.Cut(all, []byte(`<section class="second">`))
	if !found || !bytes.Contains(first, []byte("<h2>Decision</h2>")) || sheets(t, first) != 1 {
		t.Error("what comes before the second sheet does not fit on the first")
	}
}

// sheets returns the number of sheets on which a browser prints a page.
func sheets(t *testing.T, text []byte) int {
	t.Helper()
	dir, err := os.MkdirTemp("", "browser") // t.TempDir minds what the browser's last processes still write there
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	page, pdf := filepath.Join(dir, "board.html"), filepath.Join(dir, "board.pdf")
	if err := os.WriteFile(page, text, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), chromium, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--no-first-run", "--user-data-dir="+filepath.Join(dir, "profile"), "--no-pdf-header-footer",
		"--print-to-pdf="+pdf, "file://"+page)
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v", chromium, err)
	}
	printed, err := os.ReadFile(pdf)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Count(printed, []byte("/Type /Page\n"))
}

// Pairs of nobody are refused before anything is priced.
func TestUnknownPairsAreRefusedFirst(t *testing.T) {
	federation := federated(t, 4, newKey(t), walking)
	plain, err := experiment.Parse([]byte("data: {source: two-gaussians}\ngraph: ring:4\nalgorithm: {kind: gossip, steps: 2, clip: 1}\nmodel: {kind: mean}\nprivacy: {sigma: 1}\n"), "plain.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []*spec.Spec{federation, plain} {
		say := func(what string) {
			if strings.Contains(what, "comput") || strings.Contains(what, "accounting") {
				t.Errorf("begins with %s", what)
			}
		}
		if _, err := Plan(t.Context(), s, Options{Asks: []Ask{{"0", "nobody"}}, Say: say}); err == nil || !strings.Contains(err.Error(), "nobody") {
			t.Errorf("%v", err)
		}
	}
}

// Who could reconstruct whom follows from what is sent: on a ring of a sum nobody alone, of a
// walk the neighbours, of rounds of gossip also those who can solve for it.
func TestExposureWithoutNoise(t *testing.T) {
	const sum = "data: {source: csv, ranges: {a: [0, 1]}, normalise: none, test: 0}\nmodel: {kind: mean}\n" +
		"algorithm: {kind: ring-sum, rounds: 1, spread: true, clip: 1}\nprivacy: {sigma: 3, release: final}\n"
	for name, c := range map[string]struct {
		text       string
		nobody     int
		each, most int
	}{
		"a ring": {sum, 4, 0, 0}, "a walk": {walking, 0, 4, 2}, "gossip": {learning, 0, 4, 3},
	} {
		d := planned(t, federated(t, 4, newKey(t), c.text)).Dossier
		if d.Without.Nobody != c.nobody || len(d.Without.Each) != c.each || c.each > 0 && d.Without.Each[0].Count != c.most {
			t.Errorf("%s: %+v", name, d.Without)
		}
	}
}

// same reports whether two numbers are those of one computation, but for rounding.
func same(x, y float64) bool {
	return x == y || math.IsNaN(x) && math.IsNaN(y) || math.Abs(x-y) <= alike*max(math.Abs(x), math.Abs(y))
}
