package nodes

import (
	"cmp"
	"fmt"
	"os"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/federation/assembly"
	"github.com/hearsay-dp/hearsay/internal/textfile"
)

// An AcceptQuestion holds the settings of `hearsay federation accept`.
type AcceptQuestion struct {
	As, Data, Key, Dir string
	Addresses          []string
	Rows               int
	Model              string // the program that computes an external model

	Table textfile.Notation // how files are written, if not as the spec says

	programRows int // number of rows that the program has reported
}

// folder returns the participant's folder at from. If from is a text, folder creates one, after it has checked the name, the rows
// and the addresses.
func (a *AcceptQuestion) folder(ask form.Asker, from string) (*assembly.Folder, *assembly.Gathering, error) {
	if info, err := os.Stat(from); err == nil && info.IsDir() {
		if a.As != "" || a.Dir != "" || a.Key != "" {
			return nil, nil, fault.New("--as, --dir and --key cannot be given for a folder, which names the participant and its key", "leave --as, --dir and --key out, or give the text that was sent")
		}
		folder, err := assembly.OpenFolder(from)
		if err != nil {
			return nil, nil, err
		}
		g, err := folder.Gathering()
		return folder, g, err
	}
	text, err := readText(ask.Stdin, from)
	if err != nil {
		return nil, nil, err
	}
	g, err := form.Within(ask.Context, func() (*assembly.Gathering, error) { return assembly.Read(text) })
	if err != nil {
		return nil, nil, err
	}
	if err := g.Invited(a.As); err != nil {
		return nil, nil, err
	}
	if _, err := a.count(ask, g); err != nil { // before anything is made
		return nil, nil, err
	}
	if _, err := assembly.Reach(a.Addresses); err != nil {
		return nil, nil, err
	}
	setDefault(&a.Dir, "federation-"+a.As)
	folder, err := assembly.NewFolder(a.Dir, assembly.Own{Name: a.As, Key: a.Key})
	return folder, g, err
}

// accept adds the participant's acceptance to g, with its key, addresses and number of rows. It prints the facts that the others
// learn.
func (a *AcceptQuestion) accept(ask form.Asker, folder *assembly.Folder, g *assembly.Gathering) error {
	rows, err := a.count(ask, g)
	if err != nil {
		return err
	}
	addresses, err := assembly.Reach(a.Addresses)
	if err != nil {
		return err
	}
	key, err := ownKey(folder.Own.Key)
	if err != nil {
		return err
	}
	if err := g.Accept(key, folder.Own.Name, addresses, rows); err != nil {
		return err
	}
	said := "nothing, not even how many rows it has"
	if g.Records() {
		said = fmt.Sprintf("that it has %d %ss, and the columns that the terms name", rows, g.Draft().RecordWord())
		if a.Data == "" {
			said = fmt.Sprintf("that there are %d", rows)
		}
	}
	fmt.Fprintf(ask.Stderr, "of %s the others learn %s\n", cmp.Or(a.Data, "the program's rows"), said)
	folder.Own.Data, folder.Own.Table, folder.Own.Model = a.Data, a.Table, a.Model
	return folder.SaveOwn()
}

// count returns the number of rows that the participant announces. It returns 0 if the number is
// protected. The file is read in both cases, because it must have the columns that the terms name.
func (a *AcceptQuestion) count(ask form.Asker, g *assembly.Gathering) (int, error) {
	rows, err := form.Within(ask.Context, func() (int, error) { return a.held(ask, g) })
	switch {
	case err != nil:
		return 0, err
	case a.Rows < 0 || a.Rows > rows:
		return 0, fault.New(fmt.Sprintf("--rows %d, and %s has %d %ss", a.Rows, cmp.Or(a.Data, "the program"), rows, g.Draft().RecordWord()), "say as many as it has, or fewer")
	case !g.Records() && a.Rows != 0:
		return 0, fault.New("--rows, but how many rows a participant has is protected with all else of it", "leave --rows out")
	case !g.Records():
		return 0, nil
	case a.Rows > 0:
		return a.Rows, nil
	}
	return rows, nil
}

// held returns the number of rows in the participant's file or at its program. It returns an error if the file lacks columns that
// the terms name, or the program computes another model.
func (a *AcceptQuestion) held(ask form.Asker, g *assembly.Gathering) (int, error) {
	draft := *g.Draft()
	switch external := draft.External(); {
	case !external && a.Data == "" && a.Model == "":
		return 0, fault.New("--data: is missing", "give this participant's CSV file with --data")
	case external && a.Data != "":
		return 0, fault.New("--data: the rows of an external model are those of the program", "leave --data out, and give the program with --model")
	case !external && a.Model == "":
		rows, err := g.Rows(a.Data, a.Table)
		return rows, inTerms(err)
	case a.programRows > 0:
		return a.programRows, nil
	}
	end, err := form.Program{Command: a.Model}.Attach(ask, &draft)
	if err != nil {
		return 0, err
	}
	defer end()
	a.programRows, _ = draft.Model.Program.(experiment.Trainer).Rows()
	return a.programRows, nil
}

// Run accepts the terms of a folder or of a text.
func (flags *AcceptQuestion) Run(ask form.Asker, from string) error {
	folder, g, err := flags.folder(ask, from)
	if err != nil {
		return err
	}
	if err := flags.accept(ask, folder, g); err != nil {
		return err
	}
	return standing(ask, folder, g)
}
