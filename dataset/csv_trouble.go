package dataset

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/textfile"
	"github.com/hearsay-dp/hearsay/internal/yamltext"
)

// A trouble is a reason why a column cannot be read: wrong values of one kind.
type trouble struct {
	column int
	why    string // "no value", "not a number", ..
	rows   int
	lines  []int    // the first few
	values []string // the first few, distinct
}

// mostListed is the largest number of values of a column that are listed as categories, and mostHinted
// the largest number of columns that a hint writes out.
const (
	mostListed = 12
	mostHinted = 20
)

// note adds a cell to the troubles of its column.
func (p *csvParser) note(j, line int, why, field string) {
	of := troubleOf{j, why}
	k, known := p.troubleAt[of]
	if !known {
		k = len(p.troubles)
		p.troubles = append(p.troubles, trouble{column: j, why: why})
		if p.troubleAt == nil {
			p.troubleAt = map[troubleOf]int{}
		}
		p.troubleAt[of] = k
	}
	t := &p.troubles[k]
	if t.rows++; len(t.lines) < 3 {
		t.lines = append(t.lines, line)
	}
	if len(t.values) < 3 && !slices.Contains(t.values, field) {
		t.values = append(t.values, strings.Clone(field))
	}
}

// troubleOf identifies a trouble by its column and its reason.
type troubleOf struct {
	column int
	why    string
}

// trouble returns one error with everything that is wrong with the columns, and the lines to
// write in the spec. It returns nil if nothing is wrong.
func (p *csvParser) trouble() error {
	if err := p.firstRow(); err != nil {
		return err
	}
	switch {
	case len(p.troubles) == 0:
		return nil
	case len(p.troubles) == 1 && p.troubles[0].rows == 1:
		return p.single(p.troubles[0])
	}
	slices.SortStableFunc(p.troubles, func(a, b trouble) int { return a.column - b.column })
	var what []string
	for k, t := range p.troubles {
		if k == 20 {
			what = append(what, fmt.Sprintf("and %d more", len(p.troubles)-k))
			break
		}
		what = append(what, p.describe(t))
	}
	return fault.New(p.name+": "+strings.Join(what, "; "), p.advice())
}

// single returns the error for one cell.
func (p *csvParser) single(t trouble) error {
	if t.why == noValue {
		return fault.New(fmt.Sprintf("%s line %d: column %q has no value (%q)", p.name, t.lines[0], p.columns[t.column], t.values[0]),
			fmt.Sprintf("fill it in, remove the row, %s%s, or %s with a public value that stands for it, or drop the column", p.options.give(),
				p.options.setting("missing", "drop"), p.options.setting("fill", yamltext.Pairs{{Key: p.columns[t.column], Value: p.anyValue(t.column)}})))
	}
	return fault.New(fmt.Sprintf("%s line %d: column %q is %s: %q", p.name, t.lines[0], p.columns[t.column], t.why, clip(t.values[0])),
		"correct the value, remove the row, or drop the column")
}

const (
	noValue    = "no value"
	noCategory = "none of its categories"
)

// describe states one trouble in words.
func (p *csvParser) describe(t trouble) string {
	lines := strings.Trim(strings.Join(strings.Fields(fmt.Sprint(t.lines)), ", "), "[]")
	if t.why == noValue {
		written := ""
		if marks := t.marks(); len(marks) > 0 {
			written = ", which hold " + list(marks)
			if len(marks) < len(t.values) {
				written = ", which are empty or hold " + list(marks)
			}
		}
		return fmt.Sprintf("column %q has no value in %s (line%s %s)%s", p.columns[t.column], rowsOf(t.rows), plural(t.rows), lines, written)
	}
	return fmt.Sprintf("column %q is %s in %s (line%s %s, such as %q)", p.columns[t.column], t.why, rowsOf(t.rows), plural(t.rows), lines, clip(t.values[0]))
}

func rowsOf(n int) string { return fmt.Sprintf("%d row%s", n, plural(n)) }

func plural(n int) string {
	if n == 1 {
		return ""
	}
	return "s"
}

// words reports whether all of one or two values are words without any digit, such as k.A. or n.d.
func (t trouble) words() bool {
	return len(t.values) < 3 && !slices.ContainsFunc(t.values, func(text string) bool { return strings.ContainsAny(text, "0123456789") })
}

// marks returns the non-empty fields that stand for no value.
func (t trouble) marks() []string {
	return slices.DeleteFunc(slices.Clone(t.values), func(text string) bool { return text == "" })
}

// An advice collects the lines to write under data: in the spec, or the flags to give.
type advice struct {
	missing         bool
	gaps            yamltext.Pairs // a value for each feature that lacks some
	classes         []string       // labels, with those that stand for no value
	categories      yamltext.Pairs // of columns of text
	numbers, others []string       // columns to correct or to drop
	dates, points   []string       // columns of dates, and of numbers with one comma each
	words           []string       // that stand in columns of numbers, and may stand for no value
	text            bool           // the target is text
}

// advice returns the settings to write under data: in the spec, or to give as flags.
func (p *csvParser) advice() string {
	var a advice
	for _, t := range p.troubles {
		a.add(p, t)
	}
	var parts []string
	if a.missing {
		drop := fmt.Sprintf("%s (leaves out %s)", p.options.setting("missing", "drop"), rowsOf(p.table.Dropped))
		if len(a.gaps) > 0 {
			drop += ", or " + p.options.setting("fill", a.gaps) + " with public values of yours"
		}
		parts = append(parts, drop)
	}
	if a.classes != nil && !p.options.Flags { // no flag names classes
		parts = append(parts, p.options.setting("classes", a.classes)+" if these are all labels")
	}
	if len(a.categories) > 0 {
		parts = append(parts, p.options.setting("categories", a.categories)+" if these lists are public, else drop the columns")
	}
	if len(a.words) > 0 {
		drop, own := ", with "+p.options.setting("missing", "drop")+",", " (in a participant's own file --missing-value "+textfile.Quoted(a.words[0])+")"
		if a.missing {
			drop = "" // it stands there already
		}
		if p.options.Flags {
			own = ""
		}
		parts = append(parts, p.options.setting("missing_values", a.words)+own+drop+" if that stands for no value")
	}
	if len(a.numbers) > 0 {
		parts = append(parts, p.options.setting("drop", a.numbers)+", or correct the values: 12300 or 12.3, without separators of thousands and units, and nothing where no value is known")
	}
	if len(a.points) > 0 {
		own := " (in a participant's own file --decimal ,)"
		if p.options.Flags {
			own = ""
		}
		parts = append(parts, p.options.setting("decimal", ",")+own+" if the commas in numbers stand before fractions")
	}
	if len(a.dates) > 0 {
		parts = append(parts, p.options.setting("drop", a.dates)+", or write numbers in place of dates, such as an age in years or the days since a public day")
	}
	if len(a.others) > 0 {
		parts = append(parts, p.options.setting("drop", a.others)+", or correct the values")
	}
	if a.text {
		parts = append(parts, p.options.setting("task", "classification")+" if the target is text")
	}
	return p.options.give() + strings.Join(parts, "; ")
}

// add adds the remedy for one trouble.
func (a *advice) add(p *csvParser, t trouble) {
	name, values := p.columns[t.column], p.seen[t.column]
	switch all := append(slices.Clone(values.texts), t.marks()...); {
	case t.why == noValue:
		a.missing = true
		if p.roles[t.column] == target && p.options.Task == Classification && len(t.marks()) > 0 && len(all) <= mostListed {
			a.classes = all
		}
		if p.roles[t.column] == feature && len(a.gaps) < mostHinted {
			a.gaps = append(a.gaps, yamltext.Pair{Key: name, Value: p.anyValue(t.column)})
		}
	case p.roles[t.column] != feature:
		a.text = true
	case t.why == noCategory && len(values.texts) <= mostListed && len(a.categories) < mostHinted:
		listed := slices.Clone(p.options.Categories[name])
		for _, text := range values.texts {
			if categoryOf(listed, text) < 0 {
				listed = append(listed, text)
			}
		}
		a.categories = append(a.categories, yamltext.Pair{Key: name, Value: listed})
	case t.why == aDate:
		a.dates = appendUpTo(a.dates, name)
	case t.why == notNumber && values.number && t.words():
		for _, word := range t.values {
			a.words = appendUpTo(a.words, word)
		}
	case t.why == notNumber && p.byComma(t):
		a.points = appendUpTo(a.points, name)
	case t.why == notNumber && (values.number || slices.ContainsFunc(values.texts, isWritten)):
		a.numbers = appendUpTo(a.numbers, name)
	case t.why == notNumber && len(values.texts) <= mostListed && len(a.categories) < mostHinted:
		a.categories = append(a.categories, yamltext.Pair{Key: name, Value: values.texts})
	default:
		a.others = appendUpTo(a.others, name)
	}
}

// anyValue returns a value that a column can have.
func (p *csvParser) anyValue(j int) any {
	if list := p.options.Categories[p.columns[j]]; list != nil {
		return list[0]
	}
	if values := p.seen[j]; !values.number && len(values.texts) > 0 {
		return values.texts[0]
	}
	return 0
}

// appendUpTo adds a column to those that a hint names, each once and at most mostHinted.
func appendUpTo(names []string, name string) []string {
	if len(names) >= mostHinted || slices.Contains(names, name) {
		return names
	}
	return append(names, name)
}

// written matches numbers as people and spreadsheets write them: 12,300, 12 300.5, 1,5, $7 or 12 %.
var written = regexp.MustCompile(`^[-+\x{2212}]?[$\x{20ac}\x{a3}]?\s?(\d{1,3}([,.' \x{a0}\x{202f}\x{2019}]\d{3})+|\d+)([.,]\d+)?\s?[%$\x{20ac}\x{a3}]?$`)

// isWritten reports whether a text is a number in another way of writing.
func isWritten(text string) bool { return written.MatchString(text) }

// absent reports whether a field of column j has no value. A word that the recipe lists as
// a category or as a label is one.
func (p *csvParser) absent(j int, field string) bool {
	if p.options.Notation.Missing != nil && p.categoryOf(p.options.Notation.Missing, field) >= 0 {
		return true
	}
	if field != "" && field[0] >= '0' && field[0] <= '9' || !isMissing(field) {
		return false
	}
	switch p.roles[j] {
	case feature:
		list := p.options.Categories[p.columns[j]]
		return list == nil || categoryOf(list, field) < 0
	case target:
		return !slices.Contains(p.options.Classes, field) && !maybeLabel(field)
	case person:
		return true
	}
	return !maybeLabel(field)
}

// missing lists the marks that programs write for no value, in lower case.
var missing = strings.Fields(`? na n/a <na> nan nat null (null) [null] none nil - -- . \n #n/a #na #null! #value! #div/0! #ref! #name? #num! na_character_ na_integer_ na_real_`)

// isMissing reports whether a field stands for a missing value.
func isMissing(field string) bool {
	return field == "" || len(field) <= 13 && slices.Contains(missing, strings.ToLower(field))
}

// maybeLabel reports whether a mark for a missing number can be the name of a class or of a
// group: none, as in none, mild, severe.
func maybeLabel(field string) bool {
	switch strings.ToLower(field) {
	case "none", "nil", "-", "--":
		return true
	}
	return false
}

// category adds the columns of one category each, 1 where the field is it.
func (p *csvParser) category(line, j int, field string, list []string) {
	at := p.categoryOf(list, field)
	if at < 0 {
		p.note(j, line, noCategory, field)
	}
	for k := range list {
		x := 0.0
		if k == at {
			x = 1
		}
		p.table.X = append(p.table.X, x)
	}
}
