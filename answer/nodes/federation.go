package nodes

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/federation/assembly"
	"github.com/hearsay-dp/hearsay/internal/regular"
	"github.com/hearsay-dp/hearsay/node/identity"
)

// gathered opens the folder at path and adds the texts of the files texts to its messages. keep holds NAME=PEER flags.
func gathered(ask form.Asker, path string, texts, keep []string) (*assembly.Folder, *assembly.Gathering, error) {
	folder, err := assembly.OpenFolder(path)
	if err != nil {
		return nil, nil, err
	}
	g, err := folder.Gathering()
	if err != nil {
		return nil, nil, err
	}
	kept, err := keptKeys(keep)
	if err != nil {
		return nil, nil, err
	}
	for _, path := range texts {
		text, err := readText(ask.Stdin, path)
		if err != nil {
			return nil, nil, err
		}
		if err := g.Add(text, kept); err != nil {
			return nil, nil, fault.Wrap(err, path, fault.Hint(err))
		}
	}
	return folder, g, nil
}

func keptKeys(flags []string) (map[string]identity.Peer, error) {
	kept := map[string]identity.Peer{}
	for _, flag := range flags {
		name, text, _ := strings.Cut(flag, "=")
		peer, err := identity.ParsePeer(text)
		if err != nil {
			return nil, fault.Wrap(err, "--keep "+name, fault.Hint(err))
		}
		kept[name] = peer
	}
	return kept, nil
}

// readText reads a text with messages from a file, from standard input if path is "-", or from a folder.
func readText(stdin io.Reader, path string) ([]byte, error) {
	if path == "-" {
		text, err := io.ReadAll(io.LimitReader(stdin, assembly.MostText+1))
		if err != nil {
			return nil, fault.Wrap(err, "standard input", "paste the text, or give it as a file")
		}
		return text, nil
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, assembly.TextFile)
	}
	text, err := regular.Read(path, assembly.MostText)
	if err != nil {
		return nil, fault.Wrap(err, "cannot read the text", "give a file with what was sent, or - to paste it")
	}
	return text, nil
}

// standing keeps the state of a folder and shows it.
func standing(ask form.Asker, folder *assembly.Folder, g *assembly.Gathering) error {
	hash, err := hashOf(ask, g)
	if kept := folder.Keep(g, hash); err == nil { // messages are kept even if they make no spec yet
		err = kept
	}
	if err != nil {
		return err
	}
	return ask.Show(g.Status(hash, &folder.Own))
}

// hashOf returns the hash of the spec. It returns nil while a participant has not accepted.
func hashOf(ask form.Asker, g *assembly.Gathering) (*assembly.ID, error) {
	if len(g.Silent()) > 0 {
		return nil, nil
	}
	watch, err := form.Cache("").Plain(ask.Context, ask.Stderr)
	if err != nil {
		return nil, err
	}
	f, err := g.Open(experiment.Watching(ask.Context, watch))
	if err != nil {
		return nil, err
	}
	hash := assembly.ID(f.Hash)
	return &hash, nil
}

// looked reads a folder, or a text. The owner is nil for a text.
func looked(ask form.Asker, path string) (*assembly.Gathering, *assembly.Own, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		folder, err := assembly.OpenFolder(path)
		if err != nil {
			return nil, nil, err
		}
		g, err := folder.Gathering()
		return g, &folder.Own, err
	}
	text, err := readText(ask.Stdin, path)
	if err != nil {
		return nil, nil, err
	}
	g, err := form.Within(ask.Context, func() (*assembly.Gathering, error) { return assembly.Read(text) })
	return g, nil, err
}

// ownKey returns the key in the file at path. It makes the key if there is no file.
func ownKey(path string) (identity.Key, error) {
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		if _, err := MakeKey(path); err != nil {
			return identity.Key{}, err
		}
	}
	return identity.Load(path)
}

// Invite invites participants to the terms of a folder.
func Invite(ask form.Asker, args []string) error {
	folder, err := assembly.OpenFolder(args[0])
	if err != nil {
		return err
	}
	g, err := folder.Invite(ask.Context, args[1:])
	if err != nil {
		return err
	}
	return standing(ask, folder, g)
}

// An AddQuestion holds the settings of `hearsay federation add`.
type AddQuestion struct {
	Keep []string
}

// Add adds texts from other participants to a folder.
func (q *AddQuestion) Add(ask form.Asker, args []string) error {
	folder, g, err := gathered(ask, args[0], args[1:], q.Keep)
	if err != nil {
		return err
	}
	return standing(ask, folder, g)
}

// ShowStatus shows the state of the federation in a folder or a text.
func ShowStatus(ask form.Asker, args []string) error {
	g, own, err := looked(ask, args[0])
	if err != nil {
		return err
	}
	hash, err := hashOf(ask, g)
	if ask.Context.Err() != nil {
		return err
	}
	status := g.Status(hash, own)
	if err != nil {
		status.Problem = err.Error() + "; " + fault.Hint(err)
	}
	return form.Answer(ask, func() (*assembly.Status, error) { return status, nil })
}
