package main

import (
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/hearsay-dp/hearsay/fault"
)

// A commit is the commit that is released.
type commit struct {
	version string    // its tag, such as v0.3.0, or else Go's pseudo-version
	time    time.Time // time of the commit, UTC
}

// commitOf returns the current commit of the repository at top. Uncommitted changes are an error, or add "+dirty" to the version if
// dirty is true.
func commitOf(top string, dirty bool) (commit, error) {
	said, err := git(top, "log", "-1", "--format=%H %ct")
	if err != nil {
		return commit{}, err
	}
	var hash string
	var seconds int64
	if _, err := fmt.Sscan(said, &hash, &seconds); err != nil || len(hash) < 12 {
		return commit{}, fault.New("git says "+said, "run it in a repository with a commit")
	}
	c := commit{time: time.Unix(seconds, 0).UTC()}
	c.version = fmt.Sprintf("v0.0.0-%s-%s", c.time.Format("20060102150405"), hash[:12])
	if tag, err := git(top, "describe", "--tags", "--exact-match", "--match", "v[0-9]*"); err == nil {
		c.version = tag
	}
	changed, err := git(top, "status", "--porcelain")
	switch {
	case err != nil:
		return c, err
	case changed != "" && !dirty:
		return c, fault.New("there are changes that no commit has", "commit them or put them away; -dirty builds them, in a version that says so")
	case changed != "":
		c.version += "+dirty"
	}
	return c, nil
}

func git(top string, arguments ...string) (string, error) {
	out, err := exec.Command("git", append([]string{"-C", top}, arguments...)...).Output()
	if err != nil {
		return "", fault.Wrap(err, "git "+strings.Join(arguments, " "), "run it in a clone of the repository, with git on the PATH")
	}
	return strings.TrimSpace(string(out)), nil
}
