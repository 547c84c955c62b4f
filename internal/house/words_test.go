package house

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// tracked returns the files of the repository whose names end so, by path below its top.
func tracked(t *testing.T, ending string) []string {
	t.Helper()
	said, err := exec.Command("git", "-C", "../..", "ls-files", "*"+ending).Output()
	if err != nil {
		t.Skipf("SKIPPED: no git repository: %v", err)
	}
	return strings.Fields(string(said))
}

func lines(t *testing.T, path string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../..", path))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(string(text), "\n")
}

var (
	comment = regexp.MustCompile(`^\s*//(?:[^:]|$)(.*)`)
	named   = regexp.MustCompile(`^func (?:\([^)]*\) )?(\w+)`)
	word    = regexp.MustCompile(`[\pL']+`)
)

// Largest shares of what docs/PROSE.md advises against. They only ever fall.
const (
	mostWhat     = 1.0  // times in 1,000 words of comments
	mostVerbless = 0.02 // of the comments of functions
)

// Comments say what they mean in few words: docs/PROSE.md, rule 1, as far as a program can tell.
func TestCommentsAreReadOnce(t *testing.T) {
	var words, what, functions, verbless int
	for _, path := range tracked(t, ".go") {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		all := lines(t, path)
		for i, line := range all {
			if m := comment.FindStringSubmatch(line); m != nil {
				for _, w := range word.FindAllString(m[1], -1) {
					words++
					if strings.EqualFold(w, "what") {
						what++
					}
				}
			}
			m := named.FindStringSubmatch(line)
			first := i
			for first > 0 && strings.HasPrefix(all[first-1], "//") {
				first--
			}
			if m == nil || first == i {
				continue
			}
			functions++
			if strings.HasPrefix(all[first], "// "+m[1]+" is ") || strings.HasPrefix(all[first], "// "+m[1]+" are ") {
				verbless++
			}
		}
	}
	if got := 1000 * float64(what) / float64(words); got > mostWhat {
		t.Errorf("comments have the word what %.2f times in 1,000 words, at most %g: say which thing is meant (docs/PROSE.md)", got, mostWhat)
	}
	if got := float64(verbless) / float64(functions); got > mostVerbless {
		t.Errorf("%.3f of the comments of functions begin with NAME is, at most %g: begin with a verb (docs/PROSE.md)", got, mostVerbless)
	}
	t.Logf("what: %.2f in 1,000 of %d words; verbless: %.3f of %d comments of functions", 1000*float64(what)/float64(words), words, float64(verbless)/float64(functions), functions)
}

// README fits two screens, and none of its sentences is long.
func TestReadmeIsShort(t *testing.T) {
	all := lines(t, "README.md")
	if len(all) > 150 {
		t.Errorf("README has %d lines, at most 150", len(all))
	}
	var prose []string
	for _, line := range all {
		if !strings.HasPrefix(line, "    ") && !strings.HasPrefix(line, "|") && !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "![") {
			prose = append(prose, line)
		}
	}
	for _, sentence := range regexp.MustCompile(`[.:;!?]\s`).Split(strings.Join(prose, "\n"), -1) {
		if n := len(strings.Fields(sentence)); n > 30 {
			t.Errorf("a sentence of %d words, at most 30: %s", n, sentence)
		}
	}
}

// No cell of a table of the specification is a paragraph: longer text stands below the table.
func TestCellsAreShort(t *testing.T) {
	for i, line := range lines(t, "docs/SPEC.md") {
		if !strings.HasPrefix(line, "|") {
			continue
		}
		for cell := range strings.SplitSeq(strings.ReplaceAll(line, `\|`, ""), "|") {
			if n := len(strings.Fields(cell)); n > 20 {
				t.Errorf("docs/SPEC.md:%d has a cell of %d words, at most 20: %.60s ...", i+1, n, cell)
			}
		}
	}
}

var (
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	fence   = regexp.MustCompile("(?ms)^```.*?^```")
)

// anchor returns the name that a heading has in links.
func anchor(heading string) string {
	heading = regexp.MustCompile("[`*]").ReplaceAllString(heading, "")
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_':
			return unicode.ToLower(r)
		}
		return -1
	}, heading)
}

// Every link of a document to a file or a heading leads there.
func TestLinksLeadSomewhere(t *testing.T) {
	anchors := map[string][]string{}
	of := func(path string) []string {
		if _, ok := anchors[path]; !ok {
			found := []string{}
			for _, h := range heading.FindAllStringSubmatch(fence.ReplaceAllString(strings.Join(lines(t, path), "\n"), ""), -1) {
				found = append(found, anchor(h[1]))
			}
			anchors[path] = found
		}
		return anchors[path]
	}
	for _, path := range tracked(t, ".md") {
		text := fence.ReplaceAllString(strings.Join(lines(t, path), "\n"), "")
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			if strings.Contains(m[1], "://") || strings.HasPrefix(m[1], "mailto:") {
				continue
			}
			file, name, _ := strings.Cut(m[1], "#")
			target := path
			if file != "" {
				target = filepath.Join(filepath.Dir(path), file)
			}
			if _, err := os.Stat(filepath.Join("../..", target)); err != nil {
				t.Errorf("%s: no %s", path, m[1])
				continue
			}
			if name != "" && strings.HasSuffix(target, ".md") && !slices.Contains(of(target), name) {
				t.Errorf("%s: %s has no heading #%s", path, target, name)
			}
		}
	}
}

var (
	quotedTest   = regexp.MustCompile("`((?:Test|Fuzz)\\w+)\\*?`")
	declaredTest = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)`)
)

// Every test that a document names exists, or begins so. Decisions tell of the past.
func TestDocumentsNameTestsThatExist(t *testing.T) {
	var declared strings.Builder
	for _, path := range tracked(t, "_test.go") {
		for _, m := range declaredTest.FindAllStringSubmatch(strings.Join(lines(t, path), "\n"), -1) {
			declared.WriteString(" " + m[1])
		}
	}
	for _, path := range tracked(t, ".md") {
		if strings.HasPrefix(path, "docs/decisions/") {
			continue
		}
		for _, m := range quotedTest.FindAllStringSubmatch(strings.Join(lines(t, path), "\n"), -1) {
			if !strings.Contains(declared.String(), " "+m[1]) {
				t.Errorf("%s: no test is called %s", path, m[1])
			}
		}
	}
}

// quotedFile matches a path below a folder, as a document quotes one. Golden files are not in the repository.
var quotedFile = regexp.MustCompile("(golden )?`([a-z]+)/([a-zA-Z0-9@_./-]+)`")

// Every file or folder that a document quotes by a folder of the repository exists. Decisions tell of the past.
func TestDocumentsNameFilesThatExist(t *testing.T) {
	for _, path := range tracked(t, ".md") {
		if strings.HasPrefix(path, "docs/decisions/") {
			continue
		}
		for _, m := range quotedFile.FindAllStringSubmatch(strings.Join(lines(t, path), "\n"), -1) {
			top := filepath.Join("../..", m[2])
			if _, err := os.Stat(top); err != nil || m[1] != "" {
				continue
			}
			if _, err := os.Stat(filepath.Join(top, m[3])); err != nil {
				t.Errorf("%s: no file is called %s/%s", path, m[2], m[3])
			}
		}
	}
}
