package assembly

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/regular"
	"github.com/hearsay-dp/hearsay/node/identity"
	"github.com/hearsay-dp/hearsay/spec"
)

// The files of a folder in which a participant assembles a federation. File names never come from a
// message.
const (
	TextFile  = "federation.txt" // all messages, to be sent to the others
	SpecFile  = "spec.yaml"      // exists once all have accepted
	TermsFile = "terms.yaml"     // terms of the invitation
	ownFile   = "own.json"
)

// A Folder holds one participant's files of one federation.
type Folder struct {
	Path string
	Own  Own
}

// NewFolder starts a folder. The path must not exist, or be an empty folder.
func NewFolder(path string, own Own) (*Folder, error) {
	const hint = "give a folder that is not there yet; each participant has one of its own for each federation"
	if !spec.IsName(own.Name) {
		return nil, fault.New(fmt.Sprintf("%.70q is not a participant's name", own.Name), "use up to 63 letters, digits, dots, dashes and underscores")
	}
	entries, err := os.ReadDir(path)
	switch {
	case err == nil && len(entries) > 0:
		return nil, fault.New(path+" is not empty", hint)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, fault.Wrap(err, "cannot use the folder", hint)
	}
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, fault.Wrap(err, "cannot make the folder", hint)
	}
	f := &Folder{Path: path, Own: own}
	if own.Key != "" {
		absolute, err := filepath.Abs(own.Key)
		if err != nil {
			return nil, err
		}
		f.Own.Key = absolute
	}
	f.settle()
	return f, f.SaveOwn()
}

// settle sets the path of the folder, and of the key if Own.Key is empty. The default key lies in
// the folder.
func (f *Folder) settle() {
	f.Own.Folder = f.Path
	if f.Own.Key == "" {
		f.Own.Key = f.ownKey()
	}
}

func (f *Folder) ownKey() string { return filepath.Join(f.Path, f.Own.Name+".key") }

// OpenFolder opens a folder that NewFolder started.
func OpenFolder(path string) (*Folder, error) {
	f := &Folder{Path: path}
	text, err := regular.Read(filepath.Join(path, ownFile), 1<<16)
	if err == nil {
		err = json.Unmarshal(text, &f.Own)
	}
	if err == nil && !spec.IsName(f.Own.Name) {
		err = errors.New("it names nobody")
	}
	if err != nil {
		return nil, fault.Wrap(err, path+" is not a folder in which a federation is assembled", "hearsay federation new begins one, and hearsay federation accept that of who was invited")
	}
	f.settle()
	return f, nil
}

// SaveOwn writes Own to the folder.
func (f *Folder) SaveOwn() error {
	own := f.Own
	own.Folder = "" // the folder may be moved, with its key
	if own.Key == f.ownKey() {
		own.Key = ""
	}
	text, err := json.MarshalIndent(own, "", "  ")
	if err != nil {
		return err
	}
	return f.Write(ownFile, append(text, '\n'))
}

// Write writes a file into the folder atomically.
func (f *Folder) Write(name string, text []byte) error {
	err := regular.Write(filepath.Join(f.Path, name), 0o600, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
	if err != nil {
		return fault.Wrap(err, "cannot write to "+f.Path, "check that the folder can be written and is not full")
	}
	return nil
}

// Gathering reads the folder's messages.
func (f *Folder) Gathering() (*Gathering, error) {
	text, err := regular.Read(filepath.Join(f.Path, TextFile), MostText)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fault.New("nobody has been invited yet", fmt.Sprintf("hearsay federation invite %s NAME... does", f.Path))
	}
	if err != nil {
		return nil, fault.Wrap(err, "cannot read the messages", "restore the file, or add them to a new folder")
	}
	g, err := Read(text)
	if err != nil {
		return nil, fault.Wrap(err, filepath.Join(f.Path, TextFile), fault.Hint(err))
	}
	if !g.invited(f.Own.Name) {
		return nil, fault.New(f.Own.Name+" was not invited", "those are "+some(g.Invitation.Names))
	}
	return g, nil
}

// Invite makes the invitation to the folder's terms, for the folder's owner and others. The owner is the first
// participant, or has its place among others. The graph of the terms must fit the number of names.
func (f *Folder) Invite(ctx context.Context, others []string) (*Gathering, error) {
	if _, err := os.Lstat(filepath.Join(f.Path, TextFile)); !errors.Is(err, fs.ErrNotExist) {
		return nil, fault.New("there is an invitation already", "others have it, and it stays as it is; begin another federation in a folder of its own")
	}
	terms, err := regular.Read(filepath.Join(f.Path, TermsFile), spec.MostTerms)
	if err != nil {
		return nil, fault.Wrap(err, "there are no terms to invite to", "hearsay federation new writes them")
	}
	key, err := identity.Load(f.Own.Key)
	if err != nil {
		return nil, err
	}
	names := others
	if !slices.Contains(others, f.Own.Name) {
		names = append([]string{f.Own.Name}, others...)
	}
	if err := checkNames(names); err != nil {
		return nil, err
	}
	draft, err := Draft(terms, names)
	if err != nil {
		return nil, err
	}
	if _, err := experiment.PublicHoldings(ctx, draft); err != nil {
		return nil, err
	}
	return Invite(rand.Reader, key, f.Own.Name, names, terms, f.Own.WeighRows)
}

// Keep writes the terms and the messages. If hash is not nil, Keep also writes the spec with the
// signatures of that hash. If hash is nil, Keep removes the spec.
func (f *Folder) Keep(g *Gathering, hash *ID) error {
	err := errors.Join(f.Write(TermsFile, []byte(g.Invitation.Terms)), f.Write(TextFile, g.Text()))
	if err == nil && hash == nil { // an earlier spec is no longer valid
		if err = os.Remove(filepath.Join(f.Path, SpecFile)); errors.Is(err, fs.ErrNotExist) {
			return nil
		}
	}
	if err != nil || hash == nil {
		return err
	}
	text, err := g.Spec(*hash)
	if err != nil {
		return err
	}
	return f.Write(SpecFile, text)
}
