package dataset

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hearsay-dp/hearsay/fault"
)

// A trouble is what keeps a column from being read: values of one kind.
type trouble struct {
	column int
	why    string // "no value", "not a number", ..
	rows   int
	lines  []int    // the first few
	values []string // distinct ones, up to mostListed
}

// mostListed is how many values of a column are listed as categories.
const mostListed = 12

// note adds a cell to the troubles of its column.
func (p *csvParser) note(j, line int, why, field string) {
	k := slices.IndexFunc(p.troubles, func(t trouble) bool { return t.column == j && t.why == why })
	if k < 0 {
		k = len(p.troubles)
		p.troubles = append(p.troubles, trouble{column: j, why: why})
	}
	t := &p.troubles[k]
	if t.rows++; len(t.lines) < 3 {
		t.lines = append(t.lines, line)
	}
	if len(t.values) <= mostListed && !slices.Contains(t.values, field) {
		t.values = append(t.values, strings.Clone(field))
	}
}

// trouble is everything that is wrong with the columns, in one error, and what to
// write in the spec; nil if nothing is.
func (p *csvParser) trouble() error {
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

// single is the error for one cell.
func (p *csvParser) single(t trouble) error {
	if t.why == noValue {
		return fault.New(fmt.Sprintf("%s line %d: column %q has no value (%q)", p.name, t.lines[0], p.columns[t.column], t.values[0]),
			"fill it in, remove the row, write missing: drop under data, or fill: with a public value that stands for it, or drop the column")
	}
	return fault.New(fmt.Sprintf("%s line %d: column %q is %s: %q", p.name, t.lines[0], p.columns[t.column], t.why, clip(t.values[0])),
		"correct the value, remove the row, or drop the column")
}

const noValue = "no value"

// describe is one trouble in words.
func (p *csvParser) describe(t trouble) string {
	lines := strings.Trim(strings.Join(strings.Fields(fmt.Sprint(t.lines)), ", "), "[]")
	if t.why == noValue {
		return fmt.Sprintf("column %q has no value in %d rows (lines %s)", p.columns[t.column], t.rows, lines)
	}
	return fmt.Sprintf("column %q is %s in %d rows (lines %s, such as %q)", p.columns[t.column], t.why, t.rows, lines, clip(t.values[0]))
}

// advice is what to write under data: in the spec.
func (p *csvParser) advice() string {
	var drop, categories []string
	missing, numbers := false, false
	for _, t := range p.troubles {
		name := p.columns[t.column]
		switch {
		case t.why == noValue:
			missing = true
		case p.roles[t.column] != feature:
			numbers = true
		case t.why == notNumber && len(t.values) <= mostListed:
			categories = append(categories, fmt.Sprintf("%s: [%s]", name, strings.Join(t.values, ", ")))
		default:
			drop = append(drop, name)
		}
	}
	var parts []string
	if missing {
		parts = append(parts, fmt.Sprintf("missing: drop (leaves out %d rows), or fill: with public values", p.table.Dropped))
	}
	if len(categories) > 0 {
		parts = append(parts, "categories: {"+strings.Join(categories, ", ")+"} if these lists are public, else drop the columns")
	}
	if len(drop) > 0 {
		parts = append(parts, "drop: ["+strings.Join(drop, ", ")+"], or correct the values")
	}
	if numbers {
		parts = append(parts, "task: classification if the target is text")
	}
	return "write under data: " + strings.Join(parts, "; ")
}

// absent reports whether a field of column j has no value. What a class or a
// group is called is text of any kind.
func (p *csvParser) absent(j int, field string) bool {
	if p.roles[j] == feature && categoryOf(p.options.Categories[p.columns[j]], field) >= 0 {
		return false
	}
	if isMissing(field) || p.roles[j] != feature {
		return isMissing(field)
	}
	switch strings.ToLower(field) {
	case "na", "n/a", "nan", "null", "none", "nil", "-":
		return true
	}
	return false
}

// category adds the columns of one category each, 1 where the field is it.
func (p *csvParser) category(line, j int, field string, list []string) {
	at := categoryOf(list, field)
	if at < 0 {
		p.note(j, line, "none of its categories", field)
	}
	for k := range list {
		x := 0.0
		if k == at {
			x = 1
		}
		p.table.X = append(p.table.X, x)
	}
}
