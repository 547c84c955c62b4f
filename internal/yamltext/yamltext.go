// Package yamltext refuses YAML that would cost its reader more than a file of
// its kind is worth: too long, too deep, with aliases that multiply, with
// mappings whose keys are compared one with each other. It comes before a
// decoder, which has none of these limits.
package yamltext

import (
	"bytes"
	"fmt"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/textfile"
)

// Limits of a file.
const (
	mostDepth = 64      // values within values
	mostKeys  = 4096    // of one mapping
	mostNodes = 500_000 // values, those that aliases stand for counted each time

	mostTokens    = 600_000
	mostDocuments = 16
)

// Check returns an error with a hint for a text that is longer than limit
// bytes, is no text or exceeds one of the limits. It takes time and memory in
// proportion to the text. What it lets pass need not be YAML.
func Check(text []byte, limit int) error {
	switch {
	case len(text) > limit:
		return fault.New(fmt.Sprintf("the file is longer than %d bytes", limit), "give a file of the size that a person writes")
	case len(bytes.TrimSpace(text)) == 0:
		return fault.New("the file is empty", "write at least one key")
	}
	if err := textfile.Check(text, "the file"); err != nil {
		return fault.New(err.Error(), "give a YAML file in UTF-8")
	}
	tokens, err := scan(text)
	if err != nil {
		return err
	}
	if err := checkTokens(tokens); err != nil {
		return err
	}
	return checkSize(tokens)
}

// unreadable is the error for what the YAML packages panic on.
func unreadable(p any) error {
	return fault.New(fmt.Sprintf("it is not readable as YAML: %v", p), "leave out tags, anchors and keys that are no words")
}

func scan(text []byte) (tokens token.Tokens, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = unreadable(p)
		}
	}()
	return lexer.Tokenize(string(text)), nil
}

// checkTokens follows brackets and indentation before a parser does: it would go
// as deep, and compares the keys of a mapping one with each other.
func checkTokens(tokens token.Tokens) error {
	if len(tokens) > mostTokens {
		return fault.New(fmt.Sprintf("it has %d words and signs", len(tokens)), fmt.Sprintf("a file has at most %d", mostTokens))
	}
	var open levels
	documents := 0
	for i, t := range tokens {
		keys := 0
		switch t.Type {
		case token.MappingStartType, token.SequenceStartType:
			open = append(open, level{flow: true})
		case token.MappingEndType, token.SequenceEndType:
			open.close()
		case token.MappingValueType:
			keys = open.begin(tokens[max(0, i-1)].Position.Column, 1)
		case token.SequenceEntryType, token.MappingKeyType, token.TagType, token.AnchorType:
			open.begin(t.Position.Column, 0)
		case token.DocumentHeaderType:
			documents++
		}
		switch {
		case len(open) > mostDepth:
			return fault.New(fmt.Sprintf("line %d: values are nested more than %d deep", t.Position.Line, mostDepth),
				"no key needs more than a few levels; check brackets and indentation")
		case keys > mostKeys:
			return fault.New(fmt.Sprintf("line %d: a mapping has more than %d keys", t.Position.Line, mostKeys), "leave out what is not needed")
		case documents > mostDocuments:
			return fault.New(fmt.Sprintf("line %d: it holds more than %d documents", t.Position.Line, mostDocuments), "give one document a file")
		}
	}
	return nil
}

// A level is one nesting of values: a bracket, or what begins at a column.
type level struct {
	flow         bool
	column, keys int
}

type levels []level

// close ends the innermost bracket and what began within it.
func (l *levels) close() {
	for n := len(*l); n > 0; n-- {
		if (*l)[n-1].flow {
			*l = (*l)[:n-1]
			return
		}
	}
}

// begin notes that something begins at column, with so many keys more, and
// returns the keys of its level. A list at the column of its key is one level
// with it; within brackets columns mean nothing.
func (l *levels) begin(column, keys int) int {
	n := len(*l)
	for n > 0 && !(*l)[n-1].flow && (*l)[n-1].column > column {
		n--
	}
	*l = (*l)[:n]
	if n == 0 || !(*l)[n-1].flow && (*l)[n-1].column < column {
		*l = append(*l, level{column: column})
	}
	top := &(*l)[len(*l)-1]
	top.keys += keys
	return top.keys
}

// checkSize counts values and keys. What does not parse is the decoder's to
// explain: it stops where the parser does.
func checkSize(tokens token.Tokens) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = unreadable(p)
		}
	}()
	file, parseErr := parser.Parse(tokens, 0)
	if parseErr != nil {
		return nil
	}
	c := counter{anchors: map[string]int{}}
	for _, doc := range file.Docs {
		if _, err := c.count(doc.Body); err != nil {
			return err
		}
	}
	return nil
}

// A counter measures values by what they come to when every alias is written
// out.
type counter struct {
	anchors map[string]int // sizes of what they name
}

// count is the size of a value.
func (c *counter) count(n ast.Node) (size int, err error) {
	switch n := n.(type) {
	case *ast.MappingNode:
		for _, value := range n.Values {
			if size, err = c.sum(size, value.Key, value.Value); err != nil {
				return 0, err
			}
		}
	case *ast.MappingValueNode:
		size, err = c.sum(0, n.Key, n.Value)
	case *ast.MappingKeyNode:
		size, err = c.sum(0, n.Value)
	case *ast.SequenceNode:
		size, err = c.sum(0, n.Values...)
	case *ast.TagNode:
		size, err = c.sum(0, n.Value)
	case *ast.AnchorNode:
		if size, err = c.sum(0, n.Value); err == nil {
			c.anchors[n.Name.String()] = size
		}
	case *ast.AliasNode:
		size = c.anchors[n.Value.String()]
	}
	if size++; size > mostNodes && err == nil {
		err = fault.New(fmt.Sprintf("its aliases and lists stand for more than %d values", mostNodes), "write values out where they are used")
	}
	return size, err
}

func (c *counter) sum(size int, nodes ...ast.Node) (int, error) {
	for _, n := range nodes {
		more, err := c.count(n)
		if err != nil {
			return 0, err
		}
		if size += more; size > mostNodes {
			break // count refuses it
		}
	}
	return size, nil
}
