package assembly

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/federation"
	_ "github.com/hearsay-dp/hearsay/internal/draws"
	"github.com/hearsay-dp/hearsay/internal/testdata"
	"github.com/hearsay-dp/hearsay/node/identity"
	"github.com/hearsay-dp/hearsay/spec"
)

// tester is what *testing.T and *rapid.T are here.
type tester interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
}

// keyOf is a test's key: the same for the same seed.
func keyOf(t tester, seed string) identity.Key {
	t.Helper()
	sum := sha256.Sum256([]byte(seed))
	key, err := identity.Generate(bytes.NewReader(sum[:]))
	if err != nil {
		t.Fatal(err)
	}
	return key
}

const someTerms = `name: test
data: {source: csv, target: ill, classes: ["no", "yes"], normalise: none, ranges: {age: [0, 100]}}
algorithm: {kind: gossip-gd, steps: 3, step_size: 0.5, clip: 1}
privacy: {unit: record, accountant: local, sigma: 8}
`

var hospitals = []string{"lyon", "nice", "paris", "brest"}

// invited is an invitation of Lyon's, the same for the same seed.
func invited(t tester, seed string) *Gathering {
	t.Helper()
	nonce := sha256.Sum256([]byte("nonce " + seed))
	g, err := Invite(bytes.NewReader(nonce[:]), keyOf(t, "lyon"), "lyon", hospitals, []byte(someTerms), true)
	if err != nil {
		t.Fatal(err, fault.Hint(err))
	}
	return g
}

// reread is a gathering as another reads it.
func reread(t tester, g *Gathering) *Gathering {
	t.Helper()
	other, err := Read(g.Text())
	if err != nil {
		t.Fatal(err)
	}
	return other
}

// accept is the text of one participant's acceptance, in a gathering of its own.
func accept(t tester, from *Gathering, name string, rows int) *Gathering {
	t.Helper()
	g := reread(t, from)
	if err := g.Accept(keyOf(t, name), name, []string{"/dns4/hearsay." + name + ".example/tcp/4100"}, rows); err != nil {
		t.Fatal(err, fault.Hint(err))
	}
	return g
}

// everybody is a gathering of all acceptances.
func everybody(t tester, seed string) *Gathering {
	t.Helper()
	g := invited(t, seed)
	for i, name := range hospitals {
		add(t, g, accept(t, g, name, 10+i).Text())
	}
	return g
}

func add(t tester, g *Gathering, text []byte) {
	t.Helper()
	if err := g.Add(text, nil); err != nil {
		t.Fatal(err, fault.Hint(err))
	}
}

// clone is another gathering of the same messages.
func clone(g *Gathering) *Gathering {
	other := *g
	other.accepted, other.signed = maps.Clone(g.accepted), maps.Clone(g.signed)
	return &other
}

// hash is that of the assembled spec, the real one.
func hash(t *testing.T, g *Gathering) ID {
	f, err := g.Open(t.Context())
	if err != nil {
		t.Fatal(err, fault.Hint(err))
	}
	return f.Hash
}

// Whatever the order in which messages come, cut into texts in any way and as often as one
// likes, everybody has the same bytes and the same spec.
func TestTheOrderOfMessagesDoesNotMatter(t *testing.T) {
	g := invited(t, "order")
	var texts [][]byte
	for i, name := range hospitals { // each says one thing, at once another, and then something else
		one, twin := accept(t, g, name, 10+i), accept(t, g, name, 5)
		texts = append(texts, slices.Clone(one.Text()), twin.Text())
		if i%2 == 0 {
			if err := one.Accept(keyOf(t, name), name, nil, 20); err != nil {
				t.Fatal(err)
			}
			texts = append(texts, one.Text())
		}
	}
	empty := reread(t, g)
	rapid.Check(t, func(t *rapid.T) {
		first, second := clone(empty), clone(empty)
		for _, text := range rapid.Permutation(texts).Draw(t, "one order") {
			add(t, first, text)
		}
		for _, text := range rapid.Permutation(texts).Draw(t, "another") {
			add(t, second, text)
		}
		if !bytes.Equal(first.Text(), second.Text()) {
			t.Fatalf("the messages differ:\n%s\n%s", first.Text(), second.Text())
		}
		one, err := first.Spec(ID{})
		if err != nil {
			t.Fatal(err)
		}
		other, err := second.Spec(ID{})
		if err != nil || !bytes.Equal(one, other) {
			t.Fatalf("the specs differ: %v", err)
		}
	})
}

// All sign one hash; the spec has their signatures, and a node would take it.
func TestAllSignTheSameSpec(t *testing.T) {
	g := everybody(t, "sign")
	want := hash(t, g)
	for i, name := range hospitals {
		if g.Complete() {
			t.Fatalf("complete after %d signatures", i)
		}
		own := reread(t, g) // each on a machine of its own
		if err := own.Sign(keyOf(t, name), name, want); err != nil {
			t.Fatal(err)
		}
		add(t, g, own.Text())
	}
	if !g.Complete() || !g.Status(&want, nil).Complete {
		t.Error("not complete after all have signed")
	}
	text, err := g.Spec(want)
	if err != nil || strings.Count(string(text), "\nsignatures:") != 1 || !strings.Contains(string(text), "weigh_rows: 10") {
		t.Errorf("%v\n%s", err, text)
	}
	if again := hash(t, g); again != want {
		t.Error("signatures change the hash")
	}
}

// Whoever changes a message in any way has one that is refused, or one that says the same.
func TestNobodyChangesWhatAnotherSays(t *testing.T) {
	g := everybody(t, "change")
	empty := invited(t, "change")
	payload := g.accepted["nice"].payload
	rapid.Check(t, func(t *rapid.T) {
		changed := slices.Clone(payload)
		at := rapid.IntRange(0, len(changed)-1).Draw(t, "at")
		changed[at] ^= byte(rapid.IntRange(1, 255).Draw(t, "by"))
		other := clone(empty)
		if err := other.add([]block{{acceptance, changed}}, nil); err == nil {
			t.Fatalf("%s is taken for Nice's", changed)
		}
		if len(other.Silent()) != len(hospitals) {
			t.Fatal("what was refused has left something behind")
		}
	})
}

// What a participant says by its own key: nothing about others, nothing for another
// federation, nothing that was not asked.
func TestWhatAnAcceptanceCannotSay(t *testing.T) {
	g, other := invited(t, "one"), invited(t, "other")
	say := func(key string, change func(a *Acceptance)) error {
		a := Acceptance{Federation: g.ID, Name: "nice", Key: keyOf(t, key).Peer(), Serial: 1, Addresses: []string{}, Rows: 12}
		change(&a)
		return reread(t, g).add([]block{{acceptance, seal(keyOf(t, key), acceptancePurpose, a)}}, nil)
	}
	if err := say("nice", func(*Acceptance) {}); err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(a *Acceptance){
		"for another federation":  func(a *Acceptance) { a.Federation = other.ID },
		"nobody of that name":     func(a *Acceptance) { a.Name = "rome" },
		"and it has invited with": func(a *Acceptance) { a.Name = "lyon" },
		"not signed by the key":   func(a *Acceptance) { a.Key = keyOf(t, "paris").Peer() },
		"it has 0 rows":           func(a *Acceptance) { a.Rows = 0 },
		"it has -1 rows":          func(a *Acceptance) { a.Rows = -1 },
		"rows":                    func(a *Acceptance) { a.Rows = 1 << 40 },
		"its serial is 0":         func(a *Acceptance) { a.Serial = 0 },
		"9 addresses":             func(a *Acceptance) { a.Addresses = slices.Repeat([]string{"/ip4/192.0.2.7/tcp/1"}, 9) },
		"is no address":           func(a *Acceptance) { a.Addresses = []string{"/dns4/" + strings.Repeat("a", 300) + "/tcp/1"} },
		"names a key": func(a *Acceptance) {
			a.Addresses = []string{"/ip4/192.0.2.7/tcp/1/p2p/" + keyOf(t, "x").Peer().String()}
		},
		"is not used here":     func(a *Acceptance) { a.Addresses = []string{"/unix/etc/passwd"} },
		"is not spelt":         func(a *Acceptance) { a.Addresses = []string{"/ip4/192.0.2.7/tcp/01"} },
		"nowhere that others":  func(a *Acceptance) { a.Addresses = []string{"/ip4/0.0.0.0/tcp/1"} },
		"is not a host's name": func(a *Acceptance) { a.Addresses = []string{"/dns4/a\x1b[31m/tcp/1"} },
		`"a b" is not`:         func(a *Acceptance) { a.Addresses = []string{"/dns4/a b/tcp/1"} },
	} {
		if err := say("nice", change); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		} else if fault.Hint(err) == "" {
			t.Errorf("%v: no hint", err)
		}
	}
	// A true acceptance of the same participant, for another federation.
	if err := g.Add(accept(t, other, "nice", 12).Text(), nil); err == nil || !strings.Contains(err.Error(), "another federation") {
		t.Errorf("%v", err)
	}
}

// Two keys under one name are for people to decide on, and nothing is taken meanwhile.
func TestTwoKeysUnderOneName(t *testing.T) {
	g := everybody(t, "two")
	false1 := invited(t, "two")
	if err := false1.Accept(keyOf(t, "mallory"), "nice", nil, 11); err != nil {
		t.Fatal(err)
	}
	before := g.Text()
	err := g.Add(false1.Text(), nil)
	if err == nil || !strings.Contains(err.Error(), "two keys accept as nice") || !strings.Contains(fault.Hint(err), "--keep nice=KEY") {
		t.Errorf("%v", err)
	}
	if !bytes.Equal(g.Text(), before) {
		t.Error("what was refused changed something")
	}
	add2 := func(key string) string {
		if err := g.Add(false1.Text(), map[string]identity.Peer{"nice": keyOf(t, key).Peer()}); err != nil {
			t.Fatal(err)
		}
		return g.Accepted("nice").Key.String()
	}
	if got := add2("nice"); got != keyOf(t, "nice").Peer().String() {
		t.Error("the wrong key was kept")
	}
	if got := add2("mallory"); got != keyOf(t, "mallory").Peer().String() {
		t.Error("the key that was said was not taken")
	}
}

// After all have signed nothing changes any more.
func TestWhatIsCompleteStays(t *testing.T) {
	g := everybody(t, "stays")
	h := hash(t, g)
	for _, name := range hospitals {
		if err := g.Sign(keyOf(t, name), name, h); err != nil {
			t.Fatal(err)
		}
	}
	before := g.Text()
	changed := accept(t, everybody(t, "stays"), "paris", 77)
	if err := g.Add(changed.Text(), nil); err == nil || !strings.Contains(err.Error(), "something else than when all signed") {
		t.Errorf("%v", err)
	}
	if !bytes.Equal(g.Text(), before) {
		t.Error("it changed")
	}
}

// A signature counts for the key that has accepted, and for the spec that it is of.
func TestWhatASignatureCannotSay(t *testing.T) {
	g := everybody(t, "signature")
	h := hash(t, g)
	if err := g.Sign(keyOf(t, "mallory"), "nice", h); err == nil || !strings.Contains(err.Error(), "has accepted with") {
		t.Errorf("%v", err)
	}
	good := Signature{Federation: g.ID, Name: "nice", Round: g.round(), Spec: h, Of: keyOf(t, "nice").Sign("federation spec", h[:])}
	for want, change := range map[string]func(s *Signature) string{
		"":                        func(*Signature) string { return "nice" },
		"another federation":      func(s *Signature) string { s.Federation = ID{}; return "nice" },
		"not by the key":          func(*Signature) string { return "mallory" },
		"nobody of that name":     func(s *Signature) string { s.Name = "rome"; return "nice" },
		"is not by the key that ": func(s *Signature) string { s.Spec = ID{}; return "nice" },
	} {
		s := good
		by := keyOf(t, change(&s))
		err := reread(t, g).add([]block{{signature, seal(by, signaturePurpose, s)}}, nil)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	// Of another spec: kept, and named by the status.
	other := sha256.Sum256([]byte("another"))
	if err := g.Sign(keyOf(t, "nice"), "nice", other); err != nil {
		t.Fatal(err)
	}
	s := g.Status(&h, nil)
	if s.member("nice").Signed || s.member("nice").Other == nil || !strings.Contains(strings.Join(s.Next, "\n"), "nice has signed another spec") {
		t.Errorf("%+v", s)
	}
	lonely := invited(t, "signature")
	if err := lonely.add([]block{{signature, g.signed["nice"][0].payload}}, nil); err == nil || !strings.Contains(err.Error(), "without its acceptance") {
		t.Errorf("%v", err)
	}
}

// Who signs with a round that has not come does not shut itself out: what it signs of what is
// known counts, in whichever order the two come, and everybody has the same bytes.
func TestARoundThatHasNotComeHoldsUpNothing(t *testing.T) {
	g := everybody(t, "ahead")
	h := hash(t, g)
	ahead := clone(g)
	s := Signature{Federation: g.ID, Name: "nice", Round: g.round() + 1000, Spec: h, Of: federation.Sign(keyOf(t, "nice"), h)}
	if err := ahead.add([]block{{signature, seal(keyOf(t, "nice"), signaturePurpose, s)}}, nil); err != nil {
		t.Fatal(err)
	}
	if ahead.Complete() || ahead.current("nice") != nil {
		t.Error("a signature of what nobody knows counts")
	}
	if next := strings.Join(ahead.Status(&h, nil).Next, "\n"); !strings.Contains(next, "nice has signed this spec as it comes of acceptances that are not known here") {
		t.Errorf("the status says nothing of it: %s", next)
	}
	honest := clone(g)
	for _, name := range hospitals {
		if err := honest.Sign(keyOf(t, name), name, h); err != nil {
			t.Fatal(err)
		}
	}
	one, other := clone(ahead), clone(honest)
	add(t, one, honest.Text())
	add(t, other, ahead.Text())
	for _, both := range []*Gathering{one, other, reread(t, one)} {
		if !both.Complete() {
			t.Error("nice has signed what is known, and that does not count")
		}
	}
	if !bytes.Equal(one.Text(), other.Text()) {
		t.Error("the order of signatures matters")
	}
}

// An invitation that somebody made up: what no federation can have, and what would do more
// than be read.
func TestInvitationsThatAreRefused(t *testing.T) {
	key := keyOf(t, "lyon")
	for want, change := range map[string]func(i *Invitation){
		"format 2":                     func(i *Invitation) { i.Format = 2 },
		"is not among those":           func(i *Invitation) { i.From = "rome" },
		"is not a name":                func(i *Invitation) { i.Names = []string{"lyon", "../../etc/passwd"} },
		"two are called":               func(i *Invitation) { i.Names = []string{"lyon", "Lyon"} },
		"for 1 participants":           func(i *Invitation) { i.Names = []string{"lyon"} },
		"for 5000 participants":        func(i *Invitation) { i.Names = slices.Repeat([]string{"lyon"}, 5000) },
		"data.path is nothing":         func(i *Invitation) { i.Terms = "data: {source: csv, path: /etc/passwd}" },
		"participants is nothing":      func(i *Invitation) { i.Terms = someTerms + "participants: []\n" },
		"federation.signed is nothing": func(i *Invitation) { i.Terms = someTerms + "federation: {signed: no}\n" },
		"is no generator":              func(i *Invitation) { i.Terms = someTerms + "graph: /etc/passwd\n" },
		"do not print":                 func(i *Invitation) { i.Terms = strings.Replace(someTerms, "name: test", `name: "\e[2J"`, 1) },
		"needs a constant": func(i *Invitation) {
			i.Terms = strings.NewReplacer("kind: gossip-gd", "kind: weighted-walk, contributions: 3, constants: {mechanism: laplace, least: 1, most: 6, epsilon: 1}", "unit: record, ", "").Replace(someTerms)
		},
		"is longer than": func(i *Invitation) { i.Terms = someTerms + "# " + strings.Repeat("x", 1<<18) },
		"bogus":          func(i *Invitation) { i.Terms = someTerms + "bogus: 1\n" },
	} {
		i := Invitation{Format: 1, From: "lyon", Key: key.Peer(), Names: hospitals, Terms: someTerms}
		change(&i)
		if _, err := newGathering(seal(key, invitationPurpose, i)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	i := Invitation{Format: 1, From: "lyon", Key: key.Peer(), Names: hospitals, Terms: someTerms}
	if _, err := newGathering(seal(keyOf(t, "mallory"), invitationPurpose, i)); err == nil || !strings.Contains(err.Error(), "not signed by the key") {
		t.Errorf("%v", err)
	}
}

// Participants who are protected whole say nothing about their rows.
func TestRowsAreSaidWhereTheyArePublicOnly(t *testing.T) {
	terms := strings.Replace(someTerms, "unit: record, ", "", 1)
	nonce := sha256.Sum256(nil)
	g, err := Invite(bytes.NewReader(nonce[:]), keyOf(t, "lyon"), "lyon", hospitals, []byte(terms), false)
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Accept(keyOf(t, "nice"), "nice", nil, 12); err == nil || !strings.Contains(err.Error(), "which is protected") {
		t.Errorf("%v", err)
	}
	if err := g.Accept(keyOf(t, "nice"), "nice", nil, 0); err != nil {
		t.Error(err)
	}
}

func TestWordsAreToldApart(t *testing.T) {
	if len(words) != 256 || !slices.IsSorted(words) {
		t.Fatalf("%d words", len(words))
	}
	for i, a := range words {
		for _, b := range words[i+1:] {
			if strings.HasPrefix(b, a) || alike(a, b) {
				t.Errorf("%s and %s", a, b)
			}
		}
	}
	var h [32]byte
	for i := range h {
		h[i] = byte(i)
	}
	lines := Words(h)
	if len(lines) != 4 || lines[0] != strings.Join(words[:4], " ") || lines[3] != strings.Join(words[12:16], " ") {
		t.Errorf("%v", lines)
	}
}

// alike reports whether one letter is the difference.
func alike(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	for i := range b {
		without := b[:i] + b[i+1:]
		if a == without || len(a) == len(b) && without == a[:i]+a[i+1:] {
			return true
		}
	}
	return false
}

func TestReachReadsAddressesAsPeopleWriteThem(t *testing.T) {
	for text, want := range map[string]string{
		"hearsay.lyon.example:4100":   "[/dns4/hearsay.lyon.example/udp/4100/quic-v1 /dns4/hearsay.lyon.example/tcp/4100]",
		"192.0.2.7:1":                 "[/ip4/192.0.2.7/udp/1/quic-v1 /ip4/192.0.2.7/tcp/1]",
		"[2001:db8::1]:4100":          "[/ip6/2001:db8::1/udp/4100/quic-v1 /ip6/2001:db8::1/tcp/4100]",
		"/dns4/lyon.example/tcp/4100": "[/dns4/lyon.example/tcp/4100]",
	} {
		if got, err := Reach([]string{text}); err != nil || fmt.Sprint(got) != want {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "lyon", "lyon:", ":4100", "lyon:0", "lyon:65536", "a/b:1", "lyon:4100/x", "0.0.0.0:4100", "/ip4/lyon/tcp/1", "a\x1b:1"} {
		if got, err := Reach([]string{text}); err == nil || fault.Hint(err) == "" {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
}

// Mails quote, indent and break lines otherwise; what is cut off or not ours is said.
func TestMessagesSurviveAMail(t *testing.T) {
	g := everybody(t, "mail")
	text := "Hello,\r\n" + strings.ReplaceAll("> > "+strings.ReplaceAll(string(g.Text()), "\n", "\r\n> > "), "> > \r", "\r") + "\nbye"
	other, err := Read([]byte(text))
	if err != nil || !bytes.Equal(other.Text(), g.Text()) {
		t.Fatalf("%v", err)
	}
	whole := string(g.Text())
	for want, text := range map[string]string{
		"there is no invitation":       "hello",
		"its end is missing":           whole[:len(whole)/2],
		"another one begins within it": strings.Replace(whole, "-----END HEARSAY INVITATION-----\n", "", 1),
		"no message that this version": begins + "TREATY-----\n",
		"not those that were sent":     strings.Replace(whole, "INVITATION-----\n", "INVITATION-----\n*", 1),
		"is longer than 8388608":       strings.Repeat("x", MostText+1),
		"it is longer than 8192":       begins + acceptance + closes + "\n" + strings.Repeat("A", 20000) + "\n",
	} {
		if _, err := Read([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// Whatever is pasted is read or refused, and what is read is written as it was. Changed is
// the text, what one of its messages carries, or what one of its authors has signed.
func FuzzRead(f *testing.F) {
	g := everybody(f, "fuzz")
	h := ID(sha256.Sum256(nil))
	if err := g.Sign(keyOf(f, "nice"), "nice", h); err != nil {
		f.Fatal(err)
	}
	whole := string(g.Text())
	messages, err := blocks([]byte(whole))
	if err != nil {
		f.Fatal(err)
	}
	authors := append(slices.Insert(slices.Clone(hospitals), 0, "lyon"), "nice")
	keys := map[string]identity.Key{}
	for _, name := range authors {
		keys[name] = keyOf(f, name)
	}
	purposes := map[string]string{invitation: invitationPurpose, acceptance: acceptancePurpose, signature: signaturePurpose}
	for which := range uint8(3 * len(messages)) {
		f.Add(which, uint16(0), uint8(0), "")
	}
	f.Add(uint8(0), uint16(50), uint8(1), "\n")
	f.Add(uint8(1), uint16(100), uint8(2), "{}")
	f.Add(uint8(2), uint16(200), uint8(0), "0: ")
	f.Fuzz(func(t *testing.T, which uint8, at uint16, cut uint8, insert string) {
		text, k := whole, int(which)/3%len(messages)
		m := messages[k]
		switch which % 3 {
		case 0:
			text = testdata.Edit(whole, at, cut, insert)
		case 1:
			m.payload = []byte(testdata.Edit(string(m.payload), at, cut, insert))
		case 2:
			var s signed[json.RawMessage]
			if err := json.Unmarshal(m.payload, &s); err != nil {
				t.Fatal(err)
			}
			s.Body = json.RawMessage(testdata.Edit(string(s.Body), at, cut, insert))
			if !json.Valid(s.Body) {
				return
			}
			m.payload = seal(keys[authors[k]], purposes[m.kind], s.Body)
		}
		if which%3 != 0 {
			var out bytes.Buffer
			for i, other := range messages {
				if i == k {
					other = m
				}
				armour(&out, other.kind, other.payload)
			}
			text = out.String()
		}
		read, err := Read([]byte(text))
		if err != nil {
			if fault.Hint(err) == "" {
				t.Fatalf("%v: no hint", err)
			}
			return
		}
		again, err := Read(read.Text())
		if err != nil || !bytes.Equal(again.Text(), read.Text()) {
			t.Fatalf("%v", err)
		}
	})
}

// Whatever is signed as terms is read or refused, without a panic and without a screen's
// control characters.
func FuzzTerms(f *testing.F) {
	f.Add(someTerms)
	f.Add("a: &a [*a]")
	f.Add("data: {path: x}")
	f.Add("0: ")
	f.Add("? [a]\n: {true: null}")
	f.Add("name: \"\\e\"")
	f.Fuzz(func(t *testing.T, terms string) {
		s, err := Draft([]byte(terms), hospitals)
		if err == nil && strings.ContainsFunc(s.Name, func(r rune) bool { return !unicode.IsPrint(r) }) {
			t.Fatalf("%q", s.Name)
		}
	})
}

// The terms of a spec leave out who takes part and what each has, and nothing else; what
// comes out is accepted from others, and comes out the same again.
func TestTermsOfASpec(t *testing.T) {
	const whole = someTerms + `
graph: edges
nodes: 2
trials: 1
participants:
  - {name: lyon, key: a, edges: [nice], rows: 5}
  - {name: nice, key: b, edges: [lyon], rows: 5}
federation: {deadline: 48h, signed: required, invitation: "00"}
signatures: {lyon: x}
`
	text := strings.Replace(whole, "source: csv,", "source: csv, path: /etc/passwd,", 1)
	terms, err := experiment.Kinds().Terms([]byte(text), "test", "privacy.calibrate={max: 2}")
	if err != nil {
		t.Fatal(err, fault.Hint(err))
	}
	for _, gone := range []string{"participants", "signatures", "nodes", "trials", "edges", "signed", "invitation", "passwd", "sigma"} {
		if strings.Contains(string(terms), gone) {
			t.Errorf("the terms have %s:\n%s", gone, terms)
		}
	}
	for _, kept := range []string{"deadline: 48h", "max: 2", "unit: record", "clip: 1"} {
		if !strings.Contains(string(terms), kept) {
			t.Errorf("the terms lack %s:\n%s", kept, terms)
		}
	}
	if err := spec.CheckTerms(terms); err != nil {
		t.Error(err)
	}
	if again, err := experiment.Kinds().Terms(terms, "test"); err != nil || !bytes.Equal(again, terms) {
		t.Errorf("%v\n%s", err, again)
	}
	if s, err := Draft(terms, hospitals); err != nil || s.Graph != "complete:4" || s.Federation.Deadline != 48*time.Hour || s.Federation.Signed != "required" {
		t.Errorf("%v", err)
	}
}
