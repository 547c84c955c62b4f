package graphfile

import (
	"bytes"
	"errors"
	"fmt"
	"html"
	"strconv"
	"strings"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/graph"
)

// mostDepth bounds the nesting of GML lists and GraphML elements.
const mostDepth = 64

// A gmlText is GML that is not read yet: keys, each with a number, a text in
// quotes or a list in brackets (Himsolt 1997).
type gmlText struct {
	rest []byte
	line int
}

// A gmlWord is a key, a bracket or a value.
type gmlWord struct {
	text   string
	quoted bool
}

// readGML reads the graph of a GML file. Nodes are named by their labels if
// every node has one and all differ. Otherwise they are named by their ids.
func readGML(text []byte, name string, _ bool) (*graph.Graph, error) {
	g := &gmlText{rest: text, line: 1}
	b := newBuilder(name)
	found, err := g.list(0, func(key string, value gmlWord) error {
		if key != "graph" || value.text != "[" || value.quoted {
			return g.skip(value, 0)
		}
		return g.graph(b)
	})
	if err == nil && !found["graph"] {
		err = errors.New("there is no graph in it")
	}
	if err != nil {
		return nil, fault.Wrap(err, fmt.Sprintf("%s line %d", name, g.line), "it is no whole GML file; write it again with networkx.write_gml, or as GraphML")
	}
	return b.Graph()
}

// graph reads the text between the brackets of a graph.
func (g *gmlText) graph(b *builder) error {
	if len(b.Nodes) > 0 {
		return errors.New("there is a second graph")
	}
	var labels []string
	type end struct {
		from, to string
		weight   float64
	}
	var edges []end
	_, err := g.list(1, func(key string, value gmlWord) error {
		list := value.text == "[" && !value.quoted
		switch {
		case key == "directed" && value.text == "1":
			b.Directed = true
		case key == "node" && list:
			fields, _, err := g.fields("id", "label")
			if err != nil {
				return err
			}
			labels = append(labels, fields["label"])
			return b.node(fields["id"], fields["id"])
		case key == "edge" && list:
			fields, more, err := g.fields("source", "target", "weight", "value", "id", "key", "label", "graphics")
			if err != nil {
				return err
			}
			if more {
				b.Dropped.Columns++
			}
			e := end{fields["source"], fields["target"], noWeight}
			for _, key := range []string{"value", "weight"} {
				if x, err := strconv.ParseFloat(fields[key], 64); err == nil {
					e.weight = x
				}
			}
			edges = append(edges, e)
		default:
			return g.skip(value, 1)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, e := range edges {
		if err := b.between(e.from, e.to, e.weight); err != nil {
			return err
		}
	}
	b.useLabels(labels)
	return nil
}

// fields reads the list of a node or an edge. It returns the values of the
// wanted keys and whether there are other keys.
func (g *gmlText) fields(wanted ...string) (fields map[string]string, more bool, err error) {
	fields = map[string]string{}
	_, err = g.list(2, func(key string, value gmlWord) error {
		known := false
		for _, w := range wanted {
			known = known || w == key
		}
		more = more || !known
		if value.text == "[" && !value.quoted {
			return g.skip(value, 2)
		}
		if known {
			fields[key] = html.UnescapeString(value.text)
		}
		return nil
	})
	return fields, more, err
}

// list calls each with every key and its value until the list ends. At depth 0
// the list ends with the text.
func (g *gmlText) list(depth int, each func(key string, value gmlWord) error) (found map[string]bool, err error) {
	found = map[string]bool{}
	if depth > mostDepth {
		return found, fmt.Errorf("lists are nested more than %d deep", mostDepth)
	}
	for {
		key, err := g.next()
		switch {
		case err != nil:
			return found, err
		case key.text == "" && !key.quoted && depth == 0, key.text == "]" && !key.quoted && depth > 0:
			return found, nil
		case key.quoted || key.text == "" || key.text == "[" || key.text == "]":
			return found, fmt.Errorf("a key is missing before %q", key.text)
		}
		value, err := g.next()
		if err != nil {
			return found, err
		}
		if !value.quoted && (value.text == "" || value.text == "]") {
			return found, fmt.Errorf("the key %s has no value", key.text)
		}
		name := strings.ToLower(key.text)
		found[name] = true
		if err := each(name, value); err != nil {
			return found, err
		}
	}
}

// skip passes over a value that is not used.
func (g *gmlText) skip(value gmlWord, depth int) error {
	if value.quoted || value.text != "[" {
		return nil
	}
	_, err := g.list(depth+1, func(_ string, value gmlWord) error { return g.skip(value, depth+1) })
	return err
}

// next returns the next word. It returns "" at the end. A # at the start of a
// line begins a comment.
func (g *gmlText) next() (gmlWord, error) {
	g.space()
	if len(g.rest) == 0 {
		return gmlWord{}, nil
	}
	if c := g.rest[0]; c == '[' || c == ']' {
		g.rest = g.rest[1:]
		return gmlWord{text: string(c)}, nil
	}
	if g.rest[0] == '"' {
		end := bytes.IndexByte(g.rest[1:], '"')
		if end < 0 {
			return gmlWord{}, errors.New("a quote has no end")
		}
		text := g.rest[1 : 1+end]
		g.line += bytes.Count(text, []byte("\n"))
		g.rest = g.rest[end+2:]
		return gmlWord{string(text), true}, nil
	}
	end := bytes.IndexAny(g.rest, " \t\r\n[]\"")
	if end < 0 {
		end = len(g.rest)
	}
	word := string(g.rest[:end])
	g.rest = g.rest[end:]
	return gmlWord{text: word}, nil
}

// space passes over spaces and comments.
func (g *gmlText) space() {
	for len(g.rest) > 0 {
		switch c := g.rest[0]; {
		case c == '\n':
			g.line++
			g.rest = g.rest[1:]
		case c == ' ' || c == '\t' || c == '\r':
			g.rest = g.rest[1:]
		case c == '#':
			end := bytes.IndexByte(g.rest, '\n')
			if end < 0 {
				end = len(g.rest)
			}
			g.rest = g.rest[end:]
		default:
			return
		}
	}
}
