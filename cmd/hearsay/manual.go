package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/internal/regular"
	"github.com/hearsay-dp/hearsay/papers"
)

// documented returns all commands below cmd, and cmd, that help lists.
func documented(cmd *cobra.Command) []*cobra.Command {
	all := []*cobra.Command{cmd}
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			all = append(all, documented(c)...)
		}
	}
	return all
}

// fileName returns the name of a command's page without its ending, such as hearsay-privacy-walk.
func fileName(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

// generatedPages returns pages as Markdown that follow from the program: the reference of all commands, with an
// index by task, and the list of studies.
func generatedPages(root *cobra.Command) map[string]string {
	pages := map[string]string{}
	var index strings.Builder
	index.WriteString("# Commands\n\nEvery command has `--help`, and `--json` for programs.\n")
	for _, g := range root.Groups() {
		fmt.Fprintf(&index, "\n## %s\n\n| command | what it does |\n|---|---|\n", strings.TrimSuffix(g.Title, ":"))
		for _, c := range root.Commands() {
			if c.GroupID != g.ID {
				continue
			}
			for _, c := range documented(c) {
				fmt.Fprintf(&index, "| [%s](%s.md) | %s |\n", c.CommandPath(), fileName(c), escaped(c.Short))
				pages["docs/commands/"+fileName(c)+".md"] = commandPage(c)
			}
		}
	}
	pages["docs/commands/README.md"] = index.String()
	pages["docs/STUDIES.md"] = studiesPage()
	return pages
}

// studiesPage returns the list of studies as Markdown.
func studiesPage() string {
	var b strings.Builder
	b.WriteString("# Studies\n\n    hearsay data fetch houses                                    the data of most of them\n" +
		"    hearsay papers run 002-figure-6.1a --out out --data data     one study: tables, figures and a page\n" +
		"    hearsay papers run all --quick                               all on little, in minutes\n\n" +
		"Each study reproduces a figure or a table and says of every claim whether it came out. " +
		"[RESULTS](../papers/RESULTS.md) has what came out.\n\n| study | what it computes | source | data |\n|---|---|---|---|\n")
	for _, s := range papers.All() {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", s.ID, escaped(s.Title), escaped(s.Source), escaped(cmp.Or(s.Data, "none")))
	}
	return b.String()
}

// commandPage returns the Markdown page of a command.
func commandPage(c *cobra.Command) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s.\n\n    %s\n\n%s\n", c.CommandPath(), escaped(c.Short), c.UseLine(), markdownOf(c.Long))
	if c.Example != "" {
		fmt.Fprintf(&b, "\n%s\n", markdownOf(c.Example))
	}
	if flags := c.NonInheritedFlags(); flags.HasAvailableFlags() {
		fmt.Fprintf(&b, "\n## Flags\n\n```\n%s```\n", flags.FlagUsages())
	}
	var below []string
	for _, d := range c.Commands() {
		if d.IsAvailableCommand() {
			below = append(below, fmt.Sprintf("- [%s](%s.md): %s\n", d.CommandPath(), fileName(d), escaped(d.Short)))
		}
	}
	if len(below) > 0 {
		fmt.Fprintf(&b, "\n## Commands below it\n\n%s", strings.Join(below, ""))
	}
	fmt.Fprintf(&b, "\n[All commands](README.md)\n")
	return b.String()
}

// escaped returns text in which Markdown has no marks.
func escaped(text string) string {
	return strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "<", `\<`, "[", `\[`, "#", `\#`, "|", `\|`).Replace(text)
}

// markdownOf returns a help text as Markdown. Lines that begin with two spaces are code.
func markdownOf(help string) string {
	var b strings.Builder
	code := false
	for line := range strings.Lines(help) {
		line = strings.TrimRight(line, "\n")
		indented := strings.HasPrefix(line, "  ")
		if indented != code && line != "" {
			b.WriteString("\n")
			code = indented
		}
		if indented {
			line = "  " + line
		} else {
			line = escaped(line)
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

// writeManual writes a manual page for root and each command below it into dir. It returns their number.
func writeManual(root *cobra.Command, dir string) (int, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return 0, err
	}
	all := documented(root)
	for _, c := range all {
		page := manualPage(c)
		err := regular.Write(filepath.Join(dir, fileName(c)+".1"), 0o644, func(w io.Writer) error { _, err := io.WriteString(w, page); return err })
		if err != nil {
			return 0, err
		}
	}
	return len(all), nil
}

// manualPage returns the manual page of a command in the language of troff's man macros. It has no date,
// so that a version always has the same pages.
func manualPage(c *cobra.Command) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %s 1 \"\" \"hearsay %s\" \"Hearsay\"\n", strings.ToUpper(fileName(c)), experiment.Version())
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n.SH SYNOPSIS\n%s\n.SH DESCRIPTION\n", troff(fileName(c)), troff(c.Short), troff(c.UseLine()))
	for _, text := range []string{c.Long, c.Example} {
		if text != "" {
			fmt.Fprintf(&b, ".nf\n%s\n.fi\n", troff(text))
		}
	}
	if flags := c.NonInheritedFlags(); flags.HasAvailableFlags() {
		fmt.Fprintf(&b, ".SH OPTIONS\n.nf\n%s.fi\n", troff(flags.FlagUsages()))
	}
	var also []string
	if c.HasParent() {
		also = append(also, troff(fileName(c.Parent()))+"(1)")
	}
	for _, d := range c.Commands() {
		if d.IsAvailableCommand() {
			also = append(also, troff(fileName(d))+"(1)")
		}
	}
	if len(also) > 0 {
		fmt.Fprintf(&b, ".SH SEE ALSO\n%s\n", strings.Join(also, ", "))
	}
	return b.String()
}

// troff returns text without marks of troff.
func troff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
