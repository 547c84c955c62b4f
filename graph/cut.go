package graph

import (
	"bytes"
	"strconv"

	"github.com/hearsay-dp/hearsay/fault"
)

// A cut is a line of an edge list in its columns. They are parts of the line
// where no quotes had to be resolved.
type cut struct {
	u, v, third []byte // third: "" if there is none
	more        bool   // there are others, or the third is no weight
	separator   byte   // '\t', ',' or ' '
}

// weight is the third column as a number, 1 if there is none. networkx writes
// {'weight': 2} and {}.
func (c *cut) weight() float64 {
	text := c.third
	if at := bytes.Index(text, []byte("weight")); at >= 0 && text[0] == '{' {
		text = bytes.TrimLeft(text[at+len("weight"):], "'\": ")
		text = text[:len(text)-len(bytes.TrimLeft(text, "0123456789.eE+-"))]
	}
	x, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		return 1
	}
	return x
}

// cutLine takes a line apart.
func cutLine(line []byte) (c cut, err error) {
	c.separator = ' '
	for _, separator := range []byte("\t,") {
		if bytes.IndexByte(line, separator) >= 0 {
			c.separator = separator
			break
		}
	}
	rest := line
	if c.u, rest, err = takeField(rest, c.separator); err != nil {
		return c, err
	}
	if len(rest) == 0 {
		return c, fault.New(sprintf("wants two node ids, not %q", line[:min(len(line), 40)]), "write one edge a line: two ids and a space, tab or comma between")
	}
	if rest[0] == '{' {
		return c, fault.New(sprintf("the second id is %q", rest[:min(len(rest), 40)]), "that is no edge list of networkx; use write_graphml or write_edgelist")
	}
	if c.v, rest, err = takeField(rest, c.separator); err != nil || rest == nil {
		return c, err
	}
	rest = bytes.TrimSpace(rest)
	if len(rest) > 0 && rest[0] == '{' {
		c.third = rest
		c.more = !bytes.Equal(rest, []byte("{}"))
		return c, nil
	}
	end := bytes.IndexByte(rest, c.separator)
	if c.third = rest; end >= 0 {
		c.third = rest[:end]
	}
	_, notNumber := strconv.ParseFloat(string(c.third), 64)
	c.more = end >= 0 || notNumber != nil && len(c.third) > 0
	return c, nil
}

// takeField returns the field that line starts with, and what follows its
// separator, nil if there is none. Spaces and tabs may repeat.
func takeField(line []byte, separator byte) (field, rest []byte, err error) {
	line = bytes.TrimLeft(line, " \t")
	if len(line) > 0 && line[0] == '"' {
		return takeQuoted(line, separator)
	}
	end := bytes.IndexByte(line, separator)
	if end < 0 {
		field = bytes.TrimSpace(line)
	} else {
		field, rest = bytes.TrimSpace(line[:end]), line[end+1:]
		if separator != ',' {
			rest = bytes.TrimLeft(rest, " \t")
		}
	}
	if bytes.IndexByte(field, '"') >= 0 || len(field) > 0 && (field[0] == '#' || field[0] == '%') {
		what := "starts like a comment"
		if bytes.IndexByte(field, '"') >= 0 {
			what = "holds a quote"
		}
		return nil, nil, fault.New(sprintf("the node id %q %s", field, what), `put the id in quotes, and write "" for a quote within`)
	}
	return field, rest, nil
}

// takeQuoted is takeField of a line that starts with a quote.
func takeQuoted(line []byte, separator byte) (field, rest []byte, err error) {
	for i := 1; i < len(line); i++ {
		switch {
		case line[i] != '"':
			field = append(field, line[i])
		case i+1 < len(line) && line[i+1] == '"':
			field = append(field, '"')
			i++
		default:
			rest = bytes.TrimLeft(line[i+1:], " \t")
			if separator == ',' && len(rest) > 0 {
				if rest[0] != ',' {
					return nil, nil, fault.New(sprintf("%q follows a quoted id", rest[:min(len(rest), 40)]), "quotes stand around whole ids, and in pairs")
				}
				rest = rest[1:]
			}
			if len(rest) == 0 && separator != ',' {
				rest = nil
			}
			if len(bytes.TrimSpace(line[i+1:])) == 0 {
				rest = nil
			}
			return bytes.TrimSpace(field), rest, nil
		}
	}
	return nil, nil, fault.New(sprintf("the quote in %q has no end", line[:min(len(line), 40)]), "quotes stand around whole ids, and in pairs")
}
