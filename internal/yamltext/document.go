package yamltext

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/hearsay-dp/hearsay/fault"
)

// A Document is a YAML text that has passed Check, with some values replaced by Set. Errors about the text keep their lines and
// columns.
type Document struct {
	name string
	root *Node    // nil: the text has no value
	set  []string // names of the values set, which errors show
}

// UnknownKey is the error of a key that the target of Decode does not have.
type UnknownKey struct{ Key string }

// Error returns the error in words.
func (e *UnknownKey) Error() string { return fmt.Sprintf("unknown field %q", e.Key) }

// NewDocument checks and reads a text of at most limit bytes, which errors call name. It returns an error with a hint if the text
// does not parse or has more than one document. So it does for a key that is no word, a key twice, or a tag that is none of
// YAML's own.
func NewDocument(text []byte, limit int, name string) (*Document, error) {
	d := &Document{name: name}
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")) // the byte order mark
	err := Check(text, limit)
	if err == nil {
		d.root, err = root(text)
	}
	if err != nil {
		return nil, d.explain(err)
	}
	return d, nil
}

// Root returns the value of the document. It returns nil if there is none.
func (d *Document) Root() *Node { return d.root }

// Decode reads the document into the value that v points to: structs with yaml tags, maps from text, slices, text, numbers,
// truth values, any. Text is the source text of a scalar: [True, 010] read into texts is "True" and "010". Null leaves a field
// as it is. A key that v does not have is an error that is an UnknownKey, so that no part of the text is lost. Types may have
// UnmarshalYAML(func(any) error) error.
func (d *Document) Decode(v any) error { return d.decode(v, true) }

// Glance does the same as Decode but ignores keys that v does not have.
func (d *Document) Glance(v any) error { return d.decode(v, false) }

func (d *Document) decode(v any, strict bool) error {
	if d.root == nil {
		return nil
	}
	return d.explain(decoder{strict: strict}.value(reflect.ValueOf(v).Elem(), d.root, ""))
}

// Pairs returns the document as keys and values in their order; it must be a mapping.
func (d *Document) Pairs() (Pairs, error) {
	if d.root == nil {
		return nil, nil
	}
	if d.root.Kind != Mapping {
		return nil, d.explain(d.root.expected(Mapping))
	}
	return d.root.ordered().(Pairs), nil
}

// explain adds the document's name and the place to an error.
func (d *Document) explain(err error) error {
	if err == nil {
		return nil
	}
	where, is := place(err)
	if !is {
		return &fault.Error{What: d.name + ": " + err.Error(), Hint: fault.Hint(err), Err: err}
	}
	e := &fault.Error{What: d.place(where.line, where.column) + ": " + where.what, Hint: where.hint}
	if where.unknown != "" {
		e.Err = &UnknownKey{where.unknown}
	}
	return e
}

// place names a line and a column of the text, or the value that was set.
func (d *Document) place(line, column int) string {
	if line < 0 {
		return fmt.Sprintf("%s, %s", d.name, d.set[-line-1])
	}
	return fmt.Sprintf("%s:%d:%d", d.name, line, column)
}

// Set sets the value at path to value, which is YAML of its own. It creates missing mappings on the way. An empty value, or
// null, removes the key. Errors call it name.
func (d *Document) Set(path []string, value, name string) error {
	if err := d.change(path, value, name); err != nil {
		return fault.New(fmt.Sprintf("%s: %s: %s", d.name, name, err), fault.Hint(err))
	}
	return nil
}

func (d *Document) change(path []string, value, name string) error {
	if len(path) > mostDepth {
		return fault.New(fmt.Sprintf("it leads %d levels down", len(path)), "no key needs more than a few levels")
	}
	node, err := parseValue(value)
	if err != nil {
		return err
	}
	d.set = append(d.set, name)
	line := -len(d.set)
	if node != nil {
		node.placed(line)
	}
	if d.root == nil {
		d.root = &Node{Kind: Mapping, Line: line, Column: 1}
	}
	return changeBelow(&d.root, path, nil, node, line)
}

// parseValue returns the value of a setting. It returns nil for an empty value and for null.
func parseValue(value string) (*Node, error) {
	if strings.TrimSpace(value) == "" {
		return nil, nil
	}
	if err := Check([]byte(value), len(value)); err != nil {
		return nil, err
	}
	node, err := root([]byte(value))
	if where, is := place(err); is {
		return nil, fault.New("it is not YAML: "+where.what, where.hint)
	}
	return node, err
}

// placed sets the place of a value and of all values in it.
func (n *Node) placed(line int) {
	if n.Line == line {
		return
	}
	n.Line, n.Column = line, 1
	for _, item := range n.Items {
		item.placed(line)
	}
	for i := range n.Keys {
		n.Keys[i].Line, n.Keys[i].Column = line, 1
		n.Keys[i].Value.placed(line)
	}
}

// changeBelow sets value below *node, which stands at above.
func changeBelow(node **Node, path, above []string, value *Node, line int) error {
	n := *node
	if len(path) == 0 {
		*node = value
		return nil
	}
	above = append(above, path[0])
	switch {
	case n.shared:
		return fault.New(dotted(above)+" has a tag, or an anchor that other places share", "write it out in the file, or set it as a whole")
	case n.Kind == Null:
		*node = &Node{Kind: Mapping, Line: line, Column: 1}
		return changeKey(*node, path, above, value, line)
	case n.Kind == Mapping:
		return changeKey(n, path, above, value, line)
	case n.Kind == List:
		i, err := strconv.Atoi(path[0])
		switch {
		case err != nil || i < 0 || i >= len(n.Items):
			return fault.New(fmt.Sprintf("%s is a list of %d, which has no %q", dotted(above), len(n.Items), path[0]),
				"give the place in the list, from 0, or set the list as a whole, such as [a, b]")
		case value == nil && len(path) == 1:
			return fault.New("nothing is given for a place in a list", "set the list as a whole")
		}
		return changeBelow(&n.Items[i], path[1:], above, value, line)
	}
	return fault.New(fmt.Sprintf("%s is %s, which has no keys", dotted(above), n.Written()),
		fmt.Sprintf("set it as a whole, such as %s={%s: ..}", dotted(above), path[0]))
}

// changeKey does the same for one key of a mapping.
func changeKey(n *Node, path, above []string, value *Node, line int) error {
	key, last := path[0], len(path) == 1
	for i := range n.Keys {
		entry := &n.Keys[i]
		if entry.Name != key {
			continue
		}
		if last && value == nil {
			n.Keys = append(n.Keys[:i], n.Keys[i+1:]...)
			return nil
		}
		if last {
			entry.Line, entry.Column = line, 1 // an error of the new value is not one of the old line
		}
		return changeBelow(&entry.Value, path[1:], above, value, line)
	}
	if value == nil {
		return nil // it is not there already
	}
	n.Keys = append(n.Keys, Key{Name: key, Line: line, Column: 1, Value: &Node{Line: line, Column: 1}})
	return changeBelow(&n.Keys[len(n.Keys)-1].Value, path[1:], above, value, line)
}

// dotted returns the path without its last element, joined by dots.
func dotted(path []string) string {
	if len(path) == 1 {
		return "the file"
	}
	return strings.Join(path[:len(path)-1], ".")
}

// IsUnknown returns the unknown key of an error of Decode, and whether there is one.
func IsUnknown(err error) (key string, is bool) {
	var unknown *UnknownKey
	if errors.As(err, &unknown) {
		return unknown.Key, true
	}
	return "", false
}
