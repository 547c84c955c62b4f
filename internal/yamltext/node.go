package yamltext

import (
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/hearsay-dp/hearsay/fault"
)

// A Kind is the type of a value of a YAML text.
type Kind uint8

// These are the kinds of values.
const (
	Null Kind = iota
	Bool
	Int
	Float
	Text
	List
	Mapping
)

var kindNames = [...]string{"null", "boolean", "int", "float", "string", "sequence", "mapping"}

// String returns the name of the kind in errors.
func (k Kind) String() string { return kindNames[k] }

// A Node is a value of a YAML text. Aliases and merged mappings are expanded: the value of an alias is the same Node in several
// places.
type Node struct {
	Kind   Kind
	Text   string  // source text of a scalar, without the quotes of a Text; "" for an implicit null
	Quoted bool    // a Text in quotes, or a block of text
	Value  any     // nil, bool, int64, uint64, float64 or string, by Kind
	Items  []*Node // of a List
	Keys   []Key   // of a Mapping, each name once, in the order of the text

	Line, Column int // from 1; Line is negative for a value set by Document.Set

	shared bool     // it has an anchor or a tag
	source ast.Node // nil for values that Document.Set makes
}

// A Key is a key of a mapping with its value. A key that is a number, a truth value or
// null has its source text as its name.
type Key struct {
	Name         string
	Line, Column int
	Value        *Node
}

// at is an error at a place of a text. Document puts the text's name before it.
type at struct {
	line, column int
	what, hint   string
	unknown      string // a key that the target does not have
}

func (e *at) Error() string { return fmt.Sprintf("line %d: %s", e.line, e.what) }

// wrong returns an error at a token of a text.
func wrong(t *token.Token, what, hint string) error {
	return &at{line: t.Position.Line, column: t.Position.Column, what: what, hint: hint}
}

const syntaxHint = `check the indentation; put text with special characters into quotes, a list as [1, 2], a mapping as {a: 1}`

// root returns the one value of a text, nil if it has none. It returns an error if the text does not parse, holds several
// documents, or has a key that is no word.
func root(text []byte) (node *Node, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = unreadable(p)
		}
	}()
	file, err := parser.ParseBytes(text, 0)
	if err != nil {
		var bad yaml.Error
		if errors.As(err, &bad) && bad.GetToken() != nil {
			what, _, _ := strings.Cut(bad.GetMessage(), "\n")
			return nil, wrong(bad.GetToken(), what, syntaxHint)
		}
		return nil, fault.Wrap(err, "it is not YAML", syntaxHint)
	}
	b := builder{anchors: map[string]*Node{}}
	for _, doc := range file.Docs {
		switch doc.Body.(type) {
		case nil, *ast.CommentGroupNode:
			continue
		}
		next, err := b.node(doc.Body)
		switch {
		case err != nil:
			return nil, err
		case next.Kind == Null:
		case node != nil:
			return nil, wrong(doc.Body.GetToken(), "a second document begins", "give one document a file: leave out what follows the line ---")
		default:
			node = next
		}
	}
	return node, nil
}

// A builder makes nodes from the parser's tree.
type builder struct{ anchors map[string]*Node }

// node returns the value of a part of the text.
func (b *builder) node(from ast.Node) (*Node, error) {
	n := &Node{source: from}
	if t := from.GetToken(); t != nil {
		n.Line, n.Column, n.Text = t.Position.Line, t.Position.Column, t.Value
	}
	switch from := from.(type) {
	case *ast.NullNode:
		if from.Token.Type == token.ImplicitNullType {
			n.Text = ""
		}
	case *ast.BoolNode:
		n.Kind, n.Value = Bool, from.Value
	case *ast.IntegerNode:
		n.Kind, n.Value = Int, from.Value
	case *ast.FloatNode:
		n.Kind, n.Value = Float, from.Value
	case *ast.InfinityNode:
		n.Kind, n.Value = Float, from.Value
	case *ast.NanNode:
		n.Kind, n.Value = Float, from.GetValue()
	case *ast.StringNode:
		n.Kind, n.Text, n.Quoted = Text, from.Value, from.Token.Type != token.StringType
	case *ast.LiteralNode:
		n.Kind, n.Text, n.Quoted = Text, from.Value.Value, true
	case *ast.SequenceNode:
		return n, b.list(n, from)
	case *ast.MappingNode:
		return n, b.mapping(n, from.Values)
	case *ast.MappingValueNode:
		return n, b.mapping(n, []*ast.MappingValueNode{from})
	case *ast.AnchorNode:
		return b.anchor(from)
	case *ast.AliasNode:
		return b.alias(from)
	case *ast.TagNode:
		return b.tagged(from)
	default:
		return nil, wrong(from.GetToken(), "it is no value", syntaxHint)
	}
	if n.Kind == Text {
		n.Value = n.Text
	}
	return n, nil
}

// list fills in the items of a list.
func (b *builder) list(n *Node, from *ast.SequenceNode) error {
	n.Kind, n.Items = List, make([]*Node, len(from.Values))
	for i, value := range from.Values {
		item, err := b.node(value)
		if err != nil {
			return err
		}
		n.Items[i] = item
	}
	return nil
}

// mapping fills in the keys of a mapping. Keys of the text come before merged ones.
func (b *builder) mapping(n *Node, from []*ast.MappingValueNode) error {
	n.Kind = Mapping
	names := map[string]bool{}
	var merged []Key
	for _, entry := range from {
		value, err := b.node(entry.Value)
		if err != nil {
			return err
		}
		if entry.Key.IsMergeKey() {
			more, err := mergedKeys(entry, value)
			if err != nil {
				return err
			}
			merged = append(merged, more...)
			continue
		}
		key, err := keyOf(entry)
		if err != nil {
			return err
		}
		if names[key.Name] {
			return &at{line: key.Line, column: key.Column, what: fmt.Sprintf("the key %q stands twice", key.Name), hint: "leave one of them out"}
		}
		names[key.Name], key.Value = true, value
		n.Keys = append(n.Keys, key)
	}
	for _, key := range merged {
		if !names[key.Name] {
			names[key.Name] = true
			n.Keys = append(n.Keys, key)
		}
	}
	return nil
}

// keyOf returns a key without its value. Only scalars are keys.
func keyOf(entry *ast.MappingValueNode) (Key, error) {
	from := ast.Node(entry.Key)
	if asked, is := from.(*ast.MappingKeyNode); is && asked.Value != nil {
		from = asked.Value
	}
	t := from.GetToken()
	key := Key{Name: t.Value, Line: t.Position.Line, Column: t.Position.Column}
	switch from := from.(type) {
	case *ast.StringNode:
		key.Name = from.Value
	case *ast.BoolNode, *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
	case *ast.NullNode:
		if from.Token.Type == token.ImplicitNullType {
			return key, wrong(t, "a key is empty", "write a name before the colon, or take the line out")
		}
	default:
		return key, wrong(t, fmt.Sprintf("a key is a %s", strings.ToLower(from.Type().YAMLName())), "a key is a word, a number or a text in quotes")
	}
	return key, nil
}

// mergedKeys returns the keys that << adds to a mapping.
func mergedKeys(entry *ast.MappingValueNode, value *Node) (keys []Key, err error) {
	from := []*Node{value}
	if value.Kind == List {
		from = value.Items
	}
	for _, each := range from {
		if each.Kind != Mapping {
			return nil, wrong(entry.Key.GetToken(), fmt.Sprintf("<< is given a %s", each.Kind), "<< takes a mapping, or a list of mappings")
		}
		keys = append(keys, each.Keys...)
	}
	return keys, nil
}

// anchor returns the value that an anchor names.
func (b *builder) anchor(from *ast.AnchorNode) (*Node, error) {
	n, err := b.node(from.Value)
	if err != nil {
		return nil, err
	}
	n.shared = true
	b.anchors[from.Name.GetToken().Value] = n
	return n, nil
}

// alias returns the value that was named before.
func (b *builder) alias(from *ast.AliasNode) (*Node, error) {
	t := from.Value.GetToken()
	if n := b.anchors[t.Value]; n != nil {
		return n, nil
	}
	return nil, wrong(t, fmt.Sprintf("no value before it has the anchor &%s", t.Value), "write the value out, or put text that begins with * into quotes")
}

// tagged returns a value with one of YAML's own tags. Only !!str changes its kind.
func (b *builder) tagged(from *ast.TagNode) (*Node, error) {
	n, err := b.node(from.Value)
	if err != nil {
		return nil, err
	}
	switch token.ReservedTagKeyword(from.Start.Value) {
	case token.StringTag:
		if n.Kind == List || n.Kind == Mapping {
			return nil, wrong(from.Start, "a "+n.Kind.String()+" has the tag !!str", "leave the tag out")
		}
		n.Kind, n.Value, n.Quoted = Text, n.Text, true
	case token.IntegerTag, token.FloatTag, token.BooleanTag, token.NullTag, token.MappingTag, token.SequenceTag:
	default:
		return nil, wrong(from.Start, fmt.Sprintf("the tag %s is not known", from.Start.Value), "leave it out, or put text that begins with ! into quotes")
	}
	n.shared = true
	return n, nil
}

// Written returns the source text of a value, on one line where the source is.
func (n *Node) Written() string {
	if n.source == nil {
		return n.Text
	}
	return strings.TrimSpace(n.source.String())
}
