package graph

import (
	"bytes"

	"github.com/hearsay-dp/hearsay/fault"
)

// Fields appends the columns of a line to dst. They alias line, except where quotes had to be resolved. The separator
// is a tab, a comma, a semicolon, or ' ', which stands for any number of spaces and tabs. An id that holds the
// separator must be in double quotes, with "" for a quote inside. An id outside of quotes that holds a quote or starts
// like a comment is an error.
func Fields(dst [][]byte, line []byte, separator byte) ([][]byte, error) {
	for rest := line; rest != nil; {
		field, after, err := takeField(rest, separator)
		if err != nil {
			return dst, err
		}
		dst, rest = append(dst, field), after
	}
	return dst, nil
}

// takeField returns the first field of line and the rest after its separator. rest is nil if no field follows.
func takeField(line []byte, separator byte) (field, rest []byte, err error) {
	line = trimLeft(line, separator)
	if len(line) > 0 && line[0] == '"' {
		return takeQuoted(line, separator)
	}
	field, rest = line, nil
	if end := indexSeparator(line, separator); end >= 0 {
		field, rest = line[:end], line[end+1:]
		if separator == ' ' {
			if rest = trimLeft(rest, ' '); len(rest) == 0 {
				rest = nil
			}
		}
	}
	field = bytes.TrimSpace(field)
	if len(field) > 0 && field[0] == '{' {
		return line, nil, nil // attributes of networkx, to the end
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

// trimLeft cuts off leading spaces, and leading tabs unless tabs separate fields.
func trimLeft(line []byte, separator byte) []byte {
	if separator == '\t' {
		return bytes.TrimLeft(line, " ")
	}
	return bytes.TrimLeft(line, " \t")
}

func indexSeparator(line []byte, separator byte) int {
	if separator == ' ' {
		return bytes.IndexAny(line, " \t")
	}
	return bytes.IndexByte(line, separator)
}

// takeQuoted is takeField for a line that starts with a quote.
func takeQuoted(line []byte, separator byte) (field, rest []byte, err error) {
	for i := 1; i < len(line); i++ {
		switch {
		case line[i] != '"':
			field = append(field, line[i])
		case i+1 < len(line) && line[i+1] == '"':
			field = append(field, '"')
			i++
		default:
			field, rest = bytes.TrimSpace(field), trimLeft(line[i+1:], separator)
			switch {
			case len(rest) == 0:
				return field, nil, nil
			case separator == ' ' && len(rest) < len(line)-i-1:
				return field, rest, nil
			case rest[0] == separator:
				return field, rest[1:], nil
			}
			return nil, nil, fault.New(sprintf("%q follows a quoted id", rest[:min(len(rest), 40)]), "quotes stand around whole ids, and in pairs")
		}
	}
	return nil, nil, fault.New(sprintf("the quote in %q has no end", line[:min(len(line), 40)]), "quotes stand around whole ids, and in pairs")
}
