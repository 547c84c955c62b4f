package yamltext

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/hearsay-dp/hearsay/fault"
)

// A Document is a YAML text that has passed Check, with values set over what it
// says. The text's own errors keep their lines and columns.
type Document struct {
	text []byte
	body ast.Node // nil until something is set
	set  []string // names of what was set, which errors show
}

// NewDocument checks a text of at most limit bytes.
func NewDocument(text []byte, limit int) (*Document, error) {
	if err := Check(text, limit); err != nil {
		return nil, err
	}
	return &Document{text: text}, nil
}

// Decode reads the document into what v points to. Like the YAML packages it may
// panic on tags in odd places.
func (d *Document) Decode(v any, options ...yaml.DecodeOption) error {
	if d.body == nil {
		err := yaml.NewDecoder(bytes.NewReader(d.text), options...).Decode(v)
		if errors.Is(err, io.EOF) {
			return nil
		}
		return err
	}
	return yaml.NewDecoder(bytes.NewReader(nil), options...).DecodeFromNode(d.body, v)
}

// Place says where a token of an error stands: a line and a column of the text
// called name, or the value that was set.
func (d *Document) Place(name string, t *token.Token) string {
	if line := t.Position.Line; line < 0 {
		return fmt.Sprintf("%s, %s", name, d.set[-line-1])
	}
	return fmt.Sprintf("%s:%d:%d", name, t.Position.Line, t.Position.Column)
}

// Set puts value, YAML of its own, where path leads; mappings on the way that are
// missing are made. No value, or null, takes the key away. Errors call it name.
func (d *Document) Set(path []string, value, name string) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fault.New(fmt.Sprintf("%s: %s", name, unreadable(p)), fault.Hint(unreadable(p)))
		}
	}()
	if len(path) > mostDepth {
		return fault.New(fmt.Sprintf("%s: it leads %d levels down", name, len(path)), "no key needs more than a few levels")
	}
	node, err := parseValue(value)
	if err != nil {
		return fault.New(fmt.Sprintf("%s: %s", name, err), fault.Hint(err))
	}
	d.set = append(d.set, name)
	place := &token.Position{Line: -len(d.set), Column: 1}
	ast.Walk(placed{place}, orNull(node, place))
	if err := d.change(path, node, place); err != nil {
		return fault.New(fmt.Sprintf("%s: %s", name, err), fault.Hint(err))
	}
	return nil
}

// parseValue is the root of a value; nil for none and for null.
func parseValue(value string) (node ast.Node, err error) {
	if strings.TrimSpace(value) == "" {
		return nil, nil
	}
	if err := Check([]byte(value), len(value)); err != nil {
		return nil, err
	}
	return root([]byte(value))
}

// root is what the first document of a text that holds something says.
func root(text []byte) (node ast.Node, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = unreadable(p)
		}
	}()
	file, err := parser.ParseBytes(text, 0)
	if err != nil {
		var at yaml.Error
		if errors.As(err, &at) {
			err = errors.New(at.GetMessage())
		}
		return nil, fault.Wrap(err, "it is not YAML", `put text with special characters into quotes, a list as [1, 2], a mapping as {a: 1}`)
	}
	for _, doc := range file.Docs {
		switch doc.Body.(type) {
		case nil, *ast.NullNode, *ast.CommentGroupNode:
		default:
			return doc.Body, nil
		}
	}
	return nil, nil
}

// orNull is a node that can be walked.
func orNull(n ast.Node, place *token.Position) ast.Node {
	if n == nil {
		return ast.Null(token.New("null", "null", place))
	}
	return n
}

// placed gives all tokens of a value one place.
type placed struct{ at *token.Position }

// Visit implements ast.Visitor.
func (p placed) Visit(n ast.Node) ast.Visitor {
	if t := n.GetToken(); t != nil {
		t.Position = p.at
	}
	return p
}

// change is Set of a parsed value.
func (d *Document) change(path []string, value ast.Node, place *token.Position) (err error) {
	if d.body == nil {
		if d.body, err = root(d.text); err != nil {
			return err
		}
	}
	if d.body == nil {
		d.body = newMapping(place)
	}
	return changeBelow(&d.body, path, nil, value, place)
}

// changeBelow puts value below *node, which stands at above.
func changeBelow(node *ast.Node, path, above []string, value ast.Node, place *token.Position) error {
	if len(path) == 0 {
		*node = value
		return nil
	}
	here, above := path[0], append(above, path[0])
	switch n := (*node).(type) {
	case nil, *ast.NullNode:
		*node = newMapping(place)
		return changeBelow(node, path, above[:len(above)-1], value, place)
	case *ast.MappingValueNode: // a mapping of one key
		*node = ast.Mapping(n.Start, false, n)
		return changeBelow(node, path, above[:len(above)-1], value, place)
	case *ast.MappingNode:
		return changeKey(n, here, path[1:], above, value, place)
	case *ast.SequenceNode:
		i, err := strconv.Atoi(here)
		switch {
		case err != nil || i < 0 || i >= len(n.Values):
			return fault.New(fmt.Sprintf("%s is a list of %d, which has no %q", dotted(above), len(n.Values), here),
				"give the place in the list, from 0, or set the list as a whole, such as [a, b]")
		case value == nil && len(path) == 1:
			return fault.New("nothing is given for a place in a list", "set the list as a whole")
		}
		return changeBelow(&n.Values[i], path[1:], above, value, place)
	case *ast.AnchorNode, *ast.AliasNode, *ast.TagNode:
		return fault.New(dotted(above)+" has a tag, or an anchor that other places share", "write it out in the file, or set it as a whole")
	}
	return fault.New(fmt.Sprintf("%s is %s, which has no keys", dotted(above), (*node).String()),
		fmt.Sprintf("set it as a whole, such as %s={%s: ..}", dotted(above), here))
}

// changeKey is changeBelow of one key of a mapping.
func changeKey(n *ast.MappingNode, key string, rest, above []string, value ast.Node, place *token.Position) error {
	for i, entry := range n.Values {
		if entry.Key.GetToken().Value != key {
			continue
		}
		if len(rest) == 0 && value == nil {
			n.Values = append(n.Values[:i], n.Values[i+1:]...)
			return nil
		}
		if len(rest) == 0 {
			entry.Key.GetToken().Position = place // an error of the new value is not one of the old line
		}
		return changeBelow(&entry.Value, rest, above, value, place)
	}
	if value == nil {
		return nil // it is not there already
	}
	entry := ast.MappingValue(token.New(":", ":", place), ast.String(token.New(key, key, place)), ast.Null(token.New("null", "null", place)))
	n.Values = append(n.Values, entry)
	return changeBelow(&entry.Value, rest, above, value, place)
}

func newMapping(place *token.Position) ast.Node { return ast.Mapping(token.New("{", "{", place), true) }

// dotted is the path above the last of it.
func dotted(path []string) string {
	if len(path) == 1 {
		return "the file"
	}
	return strings.Join(path[:len(path)-1], ".")
}
