package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/regular"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/spec"
)

// specAttack is what every attack on a spec is asked, and where its answer goes.
type specAttack struct {
	cmd   *cobra.Command
	out   string // a page that ends in .html, or a folder for the answer and the page; "": neither
	set   []string
	cache cacheFlag
}

// register adds the flags; of says of what --out is taken, where it is not of every question.
func (f *specAttack) register(cmd *cobra.Command, of string) {
	f.cmd = cmd
	cmd.Flags().StringVar(&f.out, "out", "", of+"page.html, or a folder for the result and the page")
	settings(cmd, &f.set)
	f.cache.register(cmd)
}

func (f *specAttack) say(what string) { fmt.Fprintln(f.cmd.ErrOrStderr(), what) }

// attackOn is a command that reads its one argument, a spec, and prints what attack finds.
func attackOn[A answer](f *specAttack, attack func(*spec.Spec) (A, error)) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		s, err := loadSpec(cmd.Context(), args[0], f.set...)
		if err != nil {
			return err
		}
		return answering(func() (A, error) { return attack(s) })(cmd, args)
	}
}

// checkOut refuses a place where no answer can be written.
func (f *specAttack) checkOut() error {
	switch {
	case f.out == "":
		return nil
	case !strings.HasSuffix(f.out, ".html"):
		return report.CheckDir(f.out)
	}
	if info, err := os.Stat(f.out); err == nil && !info.Mode().IsRegular() {
		return fault.New(fmt.Sprintf("cannot write %s: it is there, and no file", f.out), "choose another name for the page")
	}
	if err := tryFolder(filepath.Dir(f.out)); err != nil {
		return fault.Wrap(err, "cannot write "+f.out, "check that the folder exists and is writable")
	}
	return nil
}

// tryFolder makes a file in a folder and removes it, so that who cannot write there is told so before the work and not after it.
func tryFolder(folder string) error {
	try, err := os.CreateTemp(folder, ".try-*")
	if err != nil {
		return err
	}
	return errors.Join(try.Close(), os.Remove(try.Name()))
}

// write writes the answer and its page to where they are wanted.
func (f *specAttack) write(ctx context.Context, answer any, page func(io.Writer) error) error {
	if f.out == "" {
		return nil
	}
	f.say("writing " + f.out)
	if !strings.HasSuffix(f.out, ".html") {
		return report.WriteOther(ctx, f.out, answer, page)
	}
	if err := regular.Write(f.out, 0o644, page); err != nil {
		return fault.Wrap(err, "cannot write "+f.out, "check that the folder exists, is writable and has room")
	}
	return nil
}
