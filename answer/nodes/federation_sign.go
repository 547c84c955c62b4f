package nodes

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/federation"
	"github.com/hearsay-dp/hearsay/federation/assembly"
	"github.com/hearsay-dp/hearsay/federation/budget"
	"github.com/hearsay-dp/hearsay/node/identity"
)

// A SignQuestion holds the settings of `hearsay federation sign`.
type SignQuestion struct {
	Policy, Name, Key string
	Data, DataSet     string // of a spec that was written by hand, its table; the owner's name for the rows
	Keep              []string
}

// inFolder signs the spec that the messages of a folder make.
func (s *SignQuestion) inFolder(ctx context.Context, ask form.Asker, args []string) error {
	if s.Name != "" || s.Key != "" || s.Data != "" {
		return fault.New("--name, --key and --data cannot be given for a folder, which names the participant, its key and its table", "leave --name, --key and --data out")
	}
	folder, g, err := gathered(ask, args[0], args[1:], s.Keep)
	if err != nil {
		return err
	}
	f, err := g.OpenAs(ctx, folder.Own.Name)
	if err != nil {
		return err
	}
	key, err := s.consent(ctx, ask, f, folder.Own.Key, folder.Own.Data, folder.Own.Signed)
	if err != nil {
		return err
	}
	if err := g.Sign(key, folder.Own.Name, f.Hash); err != nil {
		return err
	}
	folder.Own.Policy, folder.Own.Signed = s.Policy, fmt.Sprintf("%x", f.Hash)
	if err := folder.SaveOwn(); err != nil {
		return err
	}
	return standing(ask, folder, g)
}

// consent checks the plan against the policy and the budget book, charges it, and returns the key. It returns an error if either
// refuses. instead is the hash of the earlier signed spec that this one replaces, or "".
func (s *SignQuestion) consent(ctx context.Context, ask form.Asker, f *federation.Federation, keyFile, data, instead string) (identity.Key, error) {
	own, err := OpenPolicy(ctx, s.Policy, keyFile)
	if err != nil {
		return identity.Key{}, err
	}
	fmt.Fprintln(ask.Stderr, "computing what joining would cost")
	plan, err := f.Plan(ctx, own.Sizes()...)
	if err != nil {
		return identity.Key{}, err
	}
	if refusal := plan.Refusal(plan.Objections(own)); refusal != nil {
		return identity.Key{}, refusal
	}
	key, err := identity.Load(keyFile)
	if err != nil {
		return key, err
	}
	if key.Peer() != f.Peer() {
		return key, fault.New(fmt.Sprintf("the key is that of %s, and the spec lists %s for %s", key.Peer(), f.Peer(), f.Name()), "give the key file of this participant")
	}
	from := federation.Purse{Book: budget.Beside(keyFile), DataSet: s.DataSet, Instead: instead, Signing: true}
	if from.Table, err = federation.Fingerprint(key, data); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	charged, err := f.Charge(plan, own, from, time.Now())
	if err != nil {
		return key, err
	}
	fmt.Fprintf(ask.Stderr, "charged in full in the budget book; other runs on these rows: %s\n", charged.Others)
	return key, nil
}

// byHand prints the signature of a spec that was written by hand.
func (s *SignQuestion) byHand(ctx context.Context, ask form.Asker, args []string) error {
	if len(args) > 1 {
		return fault.New("texts are added to a folder, not to a spec", "give the folder of a federation that is assembled, or the spec alone")
	}
	spec, err := form.LoadSpec(ctx, args[0])
	if err != nil {
		return err
	}
	f, err := federation.Open(ctx, spec, s.Name)
	if err != nil {
		return err
	}
	setDefault(&s.Key, s.Name+".key")
	key, err := s.consent(ctx, ask, f, s.Key, s.Data, "")
	if err != nil {
		return err
	}
	return ask.Show(specSignature{f.Name(), assembly.ID(f.Hash), assembly.Words(f.Hash), federation.Sign(key, f.Hash)})
}

// A specSignature is one participant's signature of a spec.
type specSignature struct {
	Name      string             `json:"name"`
	Spec      assembly.ID        `json:"spec"`
	Words     []string           `json:"words"`
	Signature identity.Signature `json:"signature"`
}

// Print writes the line that goes under signatures in the spec.
func (s specSignature) Print(w io.Writer) error {
	_, err := fmt.Fprintf(w, "# the spec in words: %s\nsignatures:\n  %s: %s\n", strings.Join(s.Words, ", "), s.Name, s.Signature)
	return err
}

// Sign signs the spec of a folder, or one that was written by hand.
func (flags *SignQuestion) Sign(ask form.Asker, args []string) error {
	watch, err := form.Cache("").Plain(ask.Context, ask.Stderr)
	if err != nil {
		return err
	}
	ctx := experiment.Watching(ask.Context, watch)
	if info, err := os.Stat(args[0]); err == nil && !info.IsDir() {
		return flags.byHand(ctx, ask, args)
	}
	return flags.inFolder(ctx, ask, args)
}
