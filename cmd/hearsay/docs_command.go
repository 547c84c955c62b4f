package main

import (
	"fmt"
	"net/http"
	"sync"

	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay"
	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/web"
	"github.com/hearsay-dp/hearsay/web/site"
)

func newDocsCommand() *cobra.Command {
	var out, man string
	cmd := &cobra.Command{
		Use:   "docs",
		Short: "Write the documentation of this version as a site",
		Long: "Docs writes the documentation as pages that open in a browser without a network: tutorials,\n" +
			"how-to pages, the reference of all commands and files, explanations and examples. It has a\n" +
			"search. hearsay serve shows the same pages under /docs/.\n\n" +
			"  hearsay docs --out hearsay-docs          then open hearsay-docs/index.html\n" +
			"  hearsay docs --man man/man1              one manual page for each command",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return writeDocs(cmd, out, man) },
	}
	cmd.Flags().StringVar(&out, "out", "", "folder for the site")
	cmd.Flags().StringVar(&man, "man", "", "folder for manual pages, in the format of man")
	cmd.MarkFlagsOneRequired("out", "man")
	return cmd
}

// writeDocs writes the site into the folder out and manual pages into the folder man. "" leaves one out.
func writeDocs(cmd *cobra.Command, out, man string) error {
	written := struct {
		Files  int    `json:"files"`
		Folder string `json:"folder,omitempty"`
		Man    int    `json:"man_pages"`
	}{Folder: out}
	if out != "" {
		s, err := newSite(cmd.Root())
		if err == nil {
			err = s.Write(out)
		}
		if err != nil {
			return fault.Wrap(err, "cannot write the site", "choose a folder you may write to: --out hearsay-docs")
		}
		written.Files = len(s.Files())
	}
	if man != "" {
		n, err := writeManual(cmd.Root(), man)
		if err != nil {
			return fault.Wrap(err, "cannot write the manual pages", "choose a folder you may write to: --man man/man1")
		}
		written.Man = n
	}
	if wantJSON(cmd) {
		return printJSON(cmd, written)
	}
	if out != "" {
		fmt.Fprintf(cmd.OutOrStdout(), "%d files; open %s/index.html\n", written.Files, out)
	}
	if man != "" {
		fmt.Fprintf(cmd.OutOrStdout(), "%d manual pages in %s\n", written.Man, man)
	}
	return nil
}

// newSite renders the documentation with a page for each command below root.
func newSite(root *cobra.Command) (*site.Site, error) {
	return site.New(site.Options{Documents: hearsay.Documents(), Generated: generatedPages(root), Style: web.Asset("app.css"), Icon: web.Asset("icon.svg"), Version: experiment.Version()})
}

// docsHandler returns a handler of the documentation. It is rendered when it is first asked for.
func docsHandler(root *cobra.Command) http.Handler {
	render := sync.OnceValues(func() (*site.Site, error) { return newSite(root) })
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s, err := render()
		if err != nil {
			http.Error(w, "the documentation cannot be shown: "+err.Error(), http.StatusInternalServerError)
			return
		}
		s.ServeHTTP(w, r)
	})
}
