package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/federation"
	"github.com/hearsay-dp/hearsay/federation/assembly"
	"github.com/hearsay-dp/hearsay/node/identity"
)

// signFlags say who signs, under which policy.
type signFlags struct {
	policy, name, key string
	keep              []string
}

func newFederationSign() *cobra.Command {
	var flags signFlags
	cmd := &cobra.Command{
		Use:   "sign FOLDER|SPEC.yaml [TEXT...]",
		Short: "Sign the spec that all have accepted, if the own policy accepts its plan",
		Long: "Sign holds what joining would cost against the participant's own policy, which is\n" +
			"looked for beside its key (NAME.policy.yaml), and signs the spec's hash if nothing\n" +
			"speaks against it. TEXT is added first. Once all have signed, nodes start.\n\n" +
			"Of a spec that was written by hand it prints the line that goes under signatures:\n" +
			"with --name and --key. With federation: {signed: required} nodes want everybody's.",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			watch, err := form.Cache("").Plain(cmd.Context(), cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			ctx := experiment.Watching(cmd.Context(), watch)
			if info, err := os.Stat(args[0]); err == nil && !info.IsDir() {
				return flags.byHand(ctx, cmd, args)
			}
			return flags.inFolder(ctx, cmd, args)
		},
	}
	f := cmd.Flags()
	f.StringVar(&flags.policy, "policy", "", "what it accepts (default NAME.policy.yaml beside the key)")
	f.StringVar(&flags.name, "name", "", "of a spec that was written by hand: which participant signs")
	f.StringVar(&flags.key, "key", "", "of a spec that was written by hand: its key file (default NAME.key)")
	keepFlag(cmd, &flags.keep)
	return cmd
}

// inFolder signs what a folder has come to.
func (s *signFlags) inFolder(ctx context.Context, cmd *cobra.Command, args []string) error {
	if s.name != "" || s.key != "" {
		return fault.New("a folder says already who this is, and which is its key", "leave --name and --key out")
	}
	folder, g, err := gathered(cmd, args[0], args[1:], s.keep)
	if err != nil {
		return err
	}
	f, err := g.OpenAs(ctx, folder.Own.Name)
	if err != nil {
		return err
	}
	key, err := s.consent(ctx, cmd, f, folder.Own.Key)
	if err != nil {
		return err
	}
	if err := g.Sign(key, folder.Own.Name, f.Hash); err != nil {
		return err
	}
	folder.Own.Policy = s.policy
	if err := folder.SaveOwn(); err != nil {
		return err
	}
	return standing(cmd, folder, g)
}

// consent holds a plan against the policy, and is the key if nothing speaks against it.
func (s *signFlags) consent(ctx context.Context, cmd *cobra.Command, f *federation.Federation, keyFile string) (identity.Key, error) {
	own, err := openPolicy(ctx, s.policy, keyFile)
	if err != nil {
		return identity.Key{}, err
	}
	fmt.Fprintln(cmd.ErrOrStderr(), "computing what joining would cost")
	plan, err := f.Plan(ctx, own.Sizes()...)
	if err != nil {
		return identity.Key{}, err
	}
	if refusal := plan.Refusal(plan.Objections(own)); refusal != nil {
		return identity.Key{}, refusal
	}
	return identity.Load(keyFile)
}

// byHand prints the signature of a spec that somebody wrote.
func (s *signFlags) byHand(ctx context.Context, cmd *cobra.Command, args []string) error {
	if len(args) > 1 {
		return fault.New("texts are added to a folder, not to a spec", "give the folder of a federation that is assembled, or the spec alone")
	}
	spec, err := loadSpec(ctx, args[0])
	if err != nil {
		return err
	}
	f, err := federation.Open(ctx, spec, s.name)
	if err != nil {
		return err
	}
	setDefault(&s.key, s.name+".key")
	key, err := s.consent(ctx, cmd, f, s.key)
	if err != nil {
		return err
	}
	if key.Peer() != f.Peer() {
		return fault.New(fmt.Sprintf("the key is that of %s, and the spec lists %s for %s", key.Peer(), f.Peer(), f.Name()), "give the key file of this participant")
	}
	return answering(func() (specSignature, error) {
		return specSignature{f.Name(), assembly.ID(f.Hash), assembly.Words(f.Hash), federation.Sign(key, f.Hash)}, nil
	})(cmd, nil)
}

// specSignature is one participant's.
type specSignature struct {
	Name      string             `json:"name"`
	Spec      assembly.ID        `json:"spec"`
	Words     []string           `json:"words"`
	Signature identity.Signature `json:"signature"`
}

func (s specSignature) Print(w io.Writer) error {
	_, err := fmt.Fprintf(w, "# the spec in words: %s\nsignatures:\n  %s: %s\n", strings.Join(s.Words, ", "), s.Name, s.Signature)
	return err
}
