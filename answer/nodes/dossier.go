package nodes

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/dossier"
	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/federation"
	"github.com/hearsay-dp/hearsay/internal/regular"
	"github.com/hearsay-dp/hearsay/node/identity"
	"github.com/hearsay-dp/hearsay/spec"
)

// askedPairs parses pairs that are written U,V.
func askedPairs(given []string) (all []dossier.Ask, err error) {
	for _, text := range given {
		about, observer, ok := strings.Cut(text, ",")
		about, observer = strings.TrimSpace(about), strings.TrimSpace(observer)
		if !ok || about == "" || observer == "" || strings.Contains(observer, ",") {
			return nil, fault.New(fmt.Sprintf("--pair: %q is no pair", text), "give whose data they are and who looks, such as --pair 12,7")
		}
		all = append(all, dossier.Ask{About: about, Observer: observer})
	}
	return all, nil
}

// makeDossier makes the dossier of a node's folder or of a spec.
func makeDossier(ask form.Asker, path string, o dossier.Options, set []string, cache form.Cache) (*dossier.File, error) {
	o.Say = func(what string) { fmt.Fprintln(ask.Stderr, what) }
	info, err := os.Stat(path)
	if err == nil && info.IsDir() {
		if len(set) > 0 {
			return nil, fault.New("--set cannot change the spec of a folder, because that spec has run", "leave --set out, or give a spec file")
		}
		watch, err := cache.Plain(ask.Context, ask.Stderr)
		if err != nil {
			return nil, err
		}
		ctx := experiment.Watching(ask.Context, watch)
		return form.Within(ctx, func() (*dossier.File, error) { return written(dossier.Finished(ctx, path, o)) })
	}
	s, err := form.LoadSpec(ask.Context, path, set...)
	if err != nil {
		return nil, err
	}
	ctx, err := rehearsalContext(ask, s, cache)
	if err != nil {
		return nil, err
	}
	return form.Within(ctx, func() (*dossier.File, error) { return written(dossier.Plan(ctx, s, o)) })
}

func written(d *dossier.Dossier, err error) (*dossier.File, error) {
	if err != nil {
		return nil, err
	}
	return dossier.Write(d)
}

// writeDossier signs a dossier if keyFile is not "", saves it if out is not "", and shows it.
func writeDossier(ask form.Asker, f *dossier.File, keyFile, out string) error {
	if keyFile != "" {
		if out == "" {
			return fault.New("--sign: a signature is of a file", "say where with --out")
		}
		key, err := identity.Load(keyFile)
		if err != nil {
			return err
		}
		f.Sign(key)
	}
	if out != "" {
		if err := saveDossier(f, out); err != nil {
			return err
		}
	}
	if ask.JSON {
		return ask.Value(f.Dossier)
	}
	return printDossier(ask.Stdout, f, out)
}

func saveDossier(f *dossier.File, out string) error {
	err := regular.Write(out, 0o644, func(w io.Writer) error {
		_, err := w.Write(f.Bytes())
		return err
	})
	if err != nil {
		return fault.Wrap(err, "cannot write "+out, "choose a file that you may write, with space left")
	}
	return nil
}

func printDossier(w io.Writer, f *dossier.File, out string) error {
	fmt.Fprintf(w, "%s\n\n%s\n%s (%s)\n\n", plainText(f.Name), f.Asked(), f.Headline(), f.Claim.Status)
	for _, text := range f.Answers() {
		fmt.Fprintf(w, "%s\n", text)
	}
	for _, q := range f.Questions {
		fmt.Fprintf(w, "\n")
		for _, p := range q.Text {
			fmt.Fprintf(w, "%s\n%s\n", p.Heading, p.Text)
		}
	}
	if out == "" {
		_, err := fmt.Fprintf(w, "\n--out FILE.html writes the page.\n")
		return err
	}
	for _, s := range f.Signatures {
		fmt.Fprintf(w, "\nSigned by %s.\n", s.Peer)
	}
	_, err := fmt.Fprintf(w, "\nThe page is %s\n", out)
	return err
}

// plainText escapes foreign text, so that it cannot move a terminal's cursor.
func plainText(text string) string {
	quoted := strconv.Quote(text)
	return quoted[1 : len(quoted)-1]
}

func readDossier(path string) (*dossier.File, error) {
	text, err := regular.Read(path, dossier.MostBytes)
	if err != nil {
		return nil, fault.Wrap(err, "cannot read "+filepath.Base(path), "give a file that hearsay dossier wrote")
	}
	return dossier.Read(text, path)
}

func verifyDossier(ask form.Asker, path string, q *VerifyQuestion) (*dossier.Check, error) {
	f, err := readDossier(path)
	if err != nil {
		return nil, err
	}
	var e dossier.Expect
	for _, text := range q.Keys {
		peer, err := identity.ParsePeer(text)
		if err != nil {
			return nil, fault.Wrap(err, "--key", fault.Hint(err))
		}
		e.Keys = append(e.Keys, peer)
	}
	if q.SpecFile != "" {
		if e.Hash, err = dossierHash(ask.Context, q.SpecFile); err != nil {
			return nil, err
		}
	}
	if q.Ledger != "" {
		if err := againstLedger(ask, f.Dossier, q.Ledger); err != nil {
			return nil, err
		}
	}
	if q.Again {
		watch, err := form.Cache("").Plain(ask.Context, ask.Stderr)
		if err != nil {
			return nil, err
		}
		ctx := experiment.Watching(ask.Context, watch)
		o := dossier.Options{Folder: filepath.Dir(path), Say: func(what string) { fmt.Fprintln(ask.Stderr, what) }}
		return form.Within(ctx, func() (*dossier.Check, error) { return f.Recompute(ctx, e, o, path) })
	}
	check, err := f.Verify(e, path)
	if err == nil && len(check.Signers) == 0 {
		err = fault.New(path+" is not signed: anybody can have written it", "have a participant sign it with hearsay dossier sign, or check its numbers with --recompute")
	}
	return check, err
}

// dossierHash returns the hash of the federation's spec at path, in hexadecimal.
func dossierHash(ctx context.Context, path string) (string, error) {
	s, err := form.LoadSpec(ctx, path)
	if err != nil {
		return "", err
	}
	return specHash(ctx, s)
}

func specHash(ctx context.Context, s *spec.Spec) (string, error) {
	if !s.Federated() {
		return "", fault.New("--spec: lists no participants, and only a federation's has a hash", "leave it out; --recompute checks the numbers")
	}
	f, err := federation.Open(ctx, s, s.Participants[0].Name)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%x", f.Hash), nil
}

func printCheck(w io.Writer, c *dossier.Check) error {
	fmt.Fprintf(w, "%s (%s, made by hearsay %s)\n", plainText(c.Name), plainText(c.About), plainText(c.Version))
	if c.Hash != "" {
		fmt.Fprintf(w, "spec hash: %s\n", c.Hash)
	}
	if len(c.Agreed) > 0 {
		fmt.Fprintf(w, "spec signed, unchanged since, by: %s\n", plainText(strings.Join(c.Agreed, ", ")))
	}
	if len(c.Missing) > 0 {
		fmt.Fprintf(w, "spec not signed by: %s\n", plainText(strings.Join(c.Missing, ", ")))
	}
	for _, s := range c.Signers {
		who := "a key that its spec does not list"
		if s.Name != "" {
			who = "the key of " + s.Name + " in its spec"
		}
		fmt.Fprintf(w, "signed, unchanged since: %s, %s\n", s.Peer, who)
	}
	if len(c.Signers) == 0 {
		fmt.Fprintln(w, "not signed")
	} else {
		fmt.Fprintln(w, "whose key that is, its owner says: compare it with yours of the spec (--spec), or ask for it (--key)")
	}
	fmt.Fprintf(w, "page: %s\n", plainText(c.Page))
	if c.Recomputed != "" {
		fmt.Fprintf(w, "numbers: %s\n", c.Recomputed)
	}
	return nil
}

// A DossierQuestion holds the settings of `hearsay dossier`.
type DossierQuestion struct {
	Out, Key   string
	About      string // file of the maker's statements
	Pairs, Set []string
	Cache      form.Cache
}

// Make makes a dossier and writes its page.
func (q *DossierQuestion) Make(ask form.Asker, args []string) error {
	asks, err := askedPairs(q.Pairs)
	if err != nil {
		return err
	}
	o := dossier.Options{Folder: filepath.Dir(q.Out), Asks: asks}
	if q.About != "" {
		if o.Said, err = dossier.ReadSaid(q.About); err != nil {
			return err
		}
	}
	f, err := makeDossier(ask, args[0], o, q.Set, q.Cache)
	if err != nil {
		return err
	}
	return writeDossier(ask, f, q.Key, q.Out)
}

// A VerifyQuestion holds the settings of `hearsay dossier verify`.
type VerifyQuestion struct {
	Keys     []string
	SpecFile string
	Ledger   string // folder of the node that the dossier is about
	Again    bool
}

// Verify checks a dossier and prints the findings.
func (q *VerifyQuestion) Verify(ask form.Asker, args []string) error {
	check, err := verifyDossier(ask, args[0], q)
	if err != nil {
		return err
	}
	if ask.JSON {
		return ask.Value(check)
	}
	return printCheck(ask.Stdout, check)
}

// A DossierSignQuestion holds the settings of `hearsay dossier sign`.
type DossierSignQuestion struct {
	Key string
}

// Sign signs a dossier with the key of a participant.
func (q *DossierSignQuestion) Sign(ask form.Asker, args []string) error {
	f, err := readDossier(args[0])
	if err != nil {
		return err
	}
	if _, err := f.Verify(dossier.Expect{}, args[0]); err != nil {
		return err
	}
	own, err := identity.Load(q.Key)
	if err != nil {
		return err
	}
	f.Sign(own)
	if err := saveDossier(f, args[0]); err != nil {
		return err
	}
	return form.Answer(ask, func() (KeyFile, error) { return KeyFile{own.Peer(), q.Key}, nil })
}

// NewDossierForm returns a file for the statements of a dossier's maker, with every key.
func NewDossierForm() ExampleFile { return ExampleFile{dossier.SaidForm()} }
