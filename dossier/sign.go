package dossier

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/federation"
	"github.com/hearsay-dp/hearsay/node/identity"
)

// purpose is the purpose under which dossiers are signed. It prevents that a signature of something
// else passes for one of a dossier.
const purpose = "dossier"

// Limits of a file, which may come from anybody.
const (
	MostBytes      = 8 << 20
	mostSignatures = 64
)

// A Signature is a line after the page. It signs all bytes before the first such line.
type Signature struct {
	Peer      identity.Peer      `json:"key"`
	Signature identity.Signature `json:"signature"`
}

const openSignature, closeSignature = "<!-- hearsay dossier signature: ", " -->\n"

// line returns the signature as a line of the file.
func (s Signature) line() string {
	return openSignature + s.Peer.String() + " " + s.Signature.String() + closeSignature
}

// A File holds the contents of a dossier's file.
type File struct {
	*Dossier
	Page       []byte // the bytes that signatures sign
	Signatures []Signature
}

// Write creates the file of a dossier, without signatures.
func Write(d *Dossier) (*File, error) {
	page, err := d.Page()
	if err != nil {
		return nil, err
	}
	f, err := Read(page, "the dossier") // as a verifier does
	if err != nil {
		return nil, err
	}
	again, err := f.Dossier.Page()
	if err != nil {
		return nil, err
	}
	f.Page = again // from numbers that were written and read, so that a verifier gets the same page
	return f, nil
}

// Bytes returns the content of the file.
func (f *File) Bytes() []byte {
	out := bytes.Clone(f.Page)
	for _, s := range f.Signatures {
		out = append(out, s.line()...)
	}
	return out
}

// Sign adds a signature, unless this key has signed already.
func (f *File) Sign(key identity.Key) {
	if !slices.ContainsFunc(f.Signatures, func(s Signature) bool { return s.Peer == key.Peer() }) {
		f.Signatures = append(f.Signatures, Signature{key.Peer(), key.Sign(purpose, f.Page)})
	}
}

// damaged returns the error for a file that is no dossier, or that was changed.
func damaged(name, what string) error {
	return fault.New(name+" is no dossier as it was written: "+what, "get it again from whoever made it; editors and mail programs may have changed it")
}

// Read parses a file. It checks no signature, and recomputes no number.
func Read(text []byte, name string) (*File, error) {
	if len(text) > MostBytes {
		return nil, damaged(name, fmt.Sprintf("it has more than %d bytes", MostBytes))
	}
	begin, end := bytes.Index(text, []byte(openNumbers)), bytes.LastIndex(text, []byte(closeNumbers))
	if begin < 0 || end < begin || bytes.Count(text, []byte(openNumbers)) != 1 || bytes.Count(text, []byte(closeNumbers)) != 1 {
		return nil, damaged(name, "its numbers are not where they belong")
	}
	f := &File{Dossier: &Dossier{}, Page: text[:end+len(closeNumbers)]}
	if err := f.readNumbers(text[begin+len(openNumbers):end], name); err != nil {
		return nil, err
	}
	return f, f.readSignatures(string(text[end+len(closeNumbers):]), name)
}

// readNumbers decodes the fields of a dossier of this format and release. A missing or unknown field is
// an error.
func (f *File) readNumbers(text []byte, name string) error {
	var by struct{ Format, Version string }
	if json.Unmarshal(text, &by) != nil {
		return damaged(name, "its numbers cannot be read")
	}
	if by.Format != Format || by.Version != experiment.Version() {
		return fault.New(fmt.Sprintf("%s: hearsay %.40q made it (format %.40q), and this is hearsay %s (format %q), which cannot check it", name, by.Version, by.Format, experiment.Version(), Format),
			"check it with the release that made it, or have it made again with this one")
	}
	said, err := decoded(text)
	if err == nil {
		err = json.Unmarshal(text, f.Dossier)
	}
	if err != nil {
		return damaged(name, fmt.Sprintf("its numbers cannot be read: %.200s", err))
	}
	made, err := f.Dossier.plain()
	if err != nil {
		return err
	}
	if _, apart := compare("", said, made, 0); apart != nil {
		return damaged(name, apart.read())
	}
	return nil
}

// readSignatures decodes the signatures after the page. Any other text there is an error.
func (f *File) readSignatures(text, name string) error {
	for line := range strings.Lines(text) {
		inner, ok := strings.CutPrefix(line, openSignature)
		inner, closed := strings.CutSuffix(inner, closeSignature)
		key, signature, parted := strings.Cut(inner, " ")
		if !ok || !closed || !parted || len(f.Signatures) == mostSignatures {
			return damaged(name, "what follows the page is no signature")
		}
		var s Signature
		peer, err := identity.ParsePeer(key)
		if err != nil || s.Signature.UnmarshalText([]byte(signature)) != nil || peer.String() != key {
			return damaged(name, "a signature cannot be read")
		}
		s.Peer = peer
		f.Signatures = append(f.Signatures, s)
	}
	return nil
}

// A Check holds the results of a verification.
type Check struct {
	Name       string   `json:"name"`
	About      string   `json:"about"`
	Version    string   `json:"version"`
	Hash       string   `json:"spec_hash,omitempty"`
	Signers    []Signer `json:"signers"`
	Agreed     []string `json:"spec_signed_by"` // participants whose signatures are in the spec
	Missing    []string `json:"spec_unsigned"`  // participants who have not signed the spec
	Page       string   `json:"page"`           // whether the page shows the numbers
	Recomputed string   `json:"recomputed"`     // a sentence on the values that were recomputed; "": none
	Compared   int      `json:"compared"`       // number of numbers compared; if any were, all texts were too
}

// A Signer holds the key of a signature.
type Signer struct {
	Peer identity.Peer `json:"key"`
	Name string        `json:"name,omitempty"` // name of the key in the dossier's spec; "": not listed
}

// Expect holds the requirements of a verification.
type Expect struct {
	Keys []identity.Peer // keys that must have signed; none: no requirement
	Hash string          // required hash of the spec; "": no requirement
}

// Verify checks the signatures, that the page shows the dossier's numbers, and that the spec has
// the hash that the dossier states. An unsigned dossier passes, because callers decide whether to
// accept it.
func (f *File) Verify(e Expect, name string) (*Check, error) {
	c, err := f.verify(e, name)
	if err != nil {
		return nil, err
	}
	return c, f.checkPage(c, name)
}

// verify performs the checks of Verify except that of the page.
func (f *File) verify(e Expect, name string) (*Check, error) {
	c := &Check{Name: f.Name, About: f.About, Version: f.Version, Hash: f.Hash, Signers: []Signer{}, Agreed: []string{}, Missing: []string{}}
	for _, s := range f.Signatures {
		if !s.Peer.Signed(purpose, f.Page, s.Signature) {
			return nil, fault.New(fmt.Sprintf("%s is not what %s has signed: something was changed after it had", name, s.Peer), "do not rely on it; get it again from whoever made it")
		}
		c.Signers = append(c.Signers, Signer{Peer: s.Peer})
	}
	for _, key := range e.Keys {
		if !slices.ContainsFunc(c.Signers, func(s Signer) bool { return s.Peer == key }) {
			return nil, fault.New(fmt.Sprintf("%s is not signed by %s", name, key), "have its owner sign it, with hearsay dossier sign")
		}
	}
	if e.Hash != "" && e.Hash != f.Hash {
		return nil, fault.New(fmt.Sprintf("%s is about another spec: its hash is %.64q, and that of yours is %s", name, f.Hash, e.Hash), "have a dossier made of your spec")
	}
	if err := checkSaid(f.Said); err != nil {
		return nil, fault.Wrap(err, name, fault.Hint(err))
	}
	return c, f.checkSpec(c, name)
}

// checkPage generates the page again and compares it.
func (f *File) checkPage(c *Check, name string) error {
	page, err := f.Dossier.Page()
	switch {
	case err == nil && bytes.Equal(page, f.Page):
		c.Page = "shows what its numbers say, and nothing else"
		return nil
	case err != nil:
		return err
	}
	return fault.New(name+": the page does not show what its numbers say", "do not rely on it; get it again from whoever made it")
}

// checkSpec checks the hash, the spec's signatures and the node's signed facts against the spec. It adds the names of
// signers.
func (f *File) checkSpec(c *Check, name string) error {
	switch {
	case !slices.Contains([]string{Planned, Simulated, Joined}, f.About):
		return damaged(name, fmt.Sprintf("about: %.40q", f.About))
	case (f.About == Joined) != (f.Facts != nil) || f.Facts != nil && (!f.Federated || f.Whose != f.Facts.Participant):
		return damaged(name, "facts: they are there of the run of one participant, and only of that")
	case !f.Federated:
		return nil
	}
	s, err := experiment.Parse([]byte(f.Spec), name+", its spec")
	if err != nil {
		return err
	}
	if len(s.Participants) == 0 {
		return damaged(name, "its spec lists no participants")
	}
	hash, err := federation.HashOf(s)
	if err != nil {
		return err
	}
	if text := fmt.Sprintf("%x", hash); text != f.Hash {
		return fault.New(fmt.Sprintf("%s states the spec hash %.64q, and that of its spec is %s", name, f.Hash, text), "do not rely on it; get it again from whoever made it")
	}
	if f.Facts != nil {
		if err := f.Facts.Check(s, hash); err != nil {
			return fault.Wrap(err, name+": facts", fault.Hint(err))
		}
	}
	if c.Missing, err = federation.Unsigned(s, hash); err != nil {
		return fault.Wrap(err, name+": spec", fault.Hint(err))
	}
	c.Agreed = slices.Sorted(maps.Keys(s.Signatures))
	for i := range c.Signers {
		for _, p := range s.Participants {
			if p.Key == c.Signers[i].Peer.String() {
				c.Signers[i].Name = p.Name
			}
		}
	}
	return nil
}
