package dataset

import (
	"regexp"
	"strings"
)

// pointed returns a field with the decimal mark of the file as a point. A field that holds a point
// where commas stand before fractions, such as 1.234,5, is no number and comes back as it is.
func (p *csvParser) pointed(field string) string {
	if p.options.Notation.Decimal != "," || !commaNumber.MatchString(field) {
		return field
	}
	return strings.Replace(field, ",", ".", 1)
}

// commaNumber matches a number with a comma before its fraction.
var commaNumber = regexp.MustCompile(`^[-+]?\d*,\d+([eE][-+]?\d+)?$`)

// number parses a field as the file writes numbers, or says why it is none.
func (p *csvParser) number(field string) (v float64, why string) {
	if p.options.Notation.Decimal == "," && strings.Contains(field, ".") {
		why = notNumber
	} else {
		v, why = finite(p.pointed(field))
	}
	if why == notNumber && dates.MatchString(field) {
		why = aDate
	}
	return v, why
}

// categoryOf returns the number of the listed value that a field holds, as text or as a number. It returns -1 if there is none.
func (p *csvParser) categoryOf(list []string, field string) int {
	if at := categoryOf(list, field); at >= 0 {
		return at
	}
	return categoryOf(list, p.pointed(field))
}

const aDate = "a date"

// byComma reports whether the numbers of a column that were found wrong all have one comma, and the others no point.
func (p *csvParser) byComma(t trouble) bool {
	if p.in.Comma == ',' || p.options.Notation.Decimal != "" {
		return false
	}
	for _, text := range t.values {
		if !commaNumber.MatchString(text) {
			return false
		}
	}
	for _, text := range p.seen[t.column].texts {
		if strings.Contains(text, ".") {
			return false
		}
	}
	return true
}

// dates matches days and times as people and programs write them: 2021-03-04, 4.3.2021, 03/04/21, 2021-03-04T10:22:00Z.
var dates = regexp.MustCompile(`^(\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.](\d{4}|\d{2}))([T ]\d{1,2}:\d{2}.*)?$|^\d{1,2}:\d{2}(:\d{2})?$`)
