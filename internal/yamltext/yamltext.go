// Package yamltext refuses YAML that costs its reader too much: texts that are too long or too deep, with aliases that
// multiply, or with mappings whose keys are compared pairwise. It must run before a decoder, which has none of these limits.
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

// These are the limits of a file.
const (
	mostDepth = 64      // values within values
	mostKeys  = 4096    // of one mapping
	mostNodes = 500_000 // values, where each alias counts as its whole value

	mostTokens    = 600_000
	mostDocuments = 16
)

// Check returns an error with a hint for a text that is longer than limit bytes, is no text or exceeds one of the limits. It
// takes time and memory in proportion to the text. A text that passes need not be YAML.
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

// unreadable returns the error for a panic of the YAML packages.
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

// checkTokens checks brackets and indentation before a parser runs, because a parser recurses as deep and compares the keys of
// a mapping pairwise.
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

// A level is one nesting of values: a bracket, or a block that begins at a column.
type level struct {
	flow         bool
	column, keys int
}

type levels []level

// close ends the innermost bracket and all levels within it.
func (l *levels) close() {
	for n := len(*l); n > 0; n-- {
		if (*l)[n-1].flow {
			*l = (*l)[:n-1]
			return
		}
	}
}

// begin records keys more keys at column, and returns the keys of their level. A list at the column of its key shares the level
// of that key. Within brackets columns have no meaning.
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

// checkSize counts values and keys. It returns nil for a text that does not parse, because the decoder explains such errors.
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

// A counter computes sizes of values with all aliases expanded.
type counter struct {
	anchors map[string]int // sizes of the values with anchors
}

// count returns the size of a value.
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
