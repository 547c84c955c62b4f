package federation

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/regular"
)

// A Rest holds the state of a node when it stopped, from the report that the node wrote.
type Rest struct {
	Name     string   `json:"name"`
	Ended    bool     `json:"ended"`
	Left     bool     `json:"left,omitempty"` // the participant has left the run
	Disputed bool     `json:"disputed,omitempty"`
	Complete bool     `json:"complete"`
	Missing  []string `json:"missing,omitempty"`
	Turn     int64    `json:"turn"`
	Turns    int64    `json:"turns"`
	Page     string   `json:"page"`
	Model    string   `json:"model,omitempty"`

	outcome *Outcome
}

// StoppedIn returns the state of the node of a folder when it stopped. It returns nil if dir is no folder, holds no
// report, or if the node runs.
func StoppedIn(dir string) (*Rest, error) {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, nil
	}
	if _, err := os.Lstat(filepath.Join(dir, EndpointFile)); !errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	path := filepath.Join(dir, ReportFile)
	var o Outcome
	text, err := regular.Read(path, regular.MostFile)
	if err == nil {
		err = json.Unmarshal(text, &o)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil // the caller that asks the node reports that there is none
	case err != nil:
		return nil, fault.Wrap(err, path, "start the node again with the same --dir: it writes the report anew")
	}
	o.Folder = dir // because the folder may have been moved
	r := &Rest{Name: o.Name, Ended: o.Ended, Disputed: o.Disputed, Complete: o.Complete, Missing: o.Missing, Turn: int64(o.Status.Turn), Turns: int64(o.Status.Turns),
		Page: filepath.Join(dir, PageFile), outcome: &o}
	r.Left = o.Statement != nil && o.Statement.Left != nil
	if o.Model != nil {
		r.Model = filepath.Join(dir, ModelFile)
	}
	return r, nil
}

// Print writes the state as text.
func (r *Rest) Print(w io.Writer) error {
	fmt.Fprintf(w, "%s is not running. %s %s\n", r.Name, r.outcome.standing(), r.outcome.attended())
	if r.Disputed {
		fmt.Fprintln(w, r.outcome.dispute())
	}
	if r.Model != "" {
		fmt.Fprintf(w, "Its model is %s.\n", r.Model)
	}
	switch {
	case r.Left:
		fmt.Fprintf(w, "It has left: from turn %d on nothing of its data was contributed.\n", r.outcome.Statement.Left.Turn)
	case !r.Ended:
		fmt.Fprintln(w, "Start it again with the same --dir to go on.")
	}
	_, err := fmt.Fprintf(w, "Its page is %s.\n", r.Page)
	return err
}
