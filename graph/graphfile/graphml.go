package graphfile

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/encoding/charmap"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/graph"
)

// A graphML holds the parts of a GraphML file that have been read.
type graphML struct {
	*builder
	keys      map[string]string // attr.name by the id of the data key
	labels    [2][]string       // of every node, by its attributes name and label
	open      strings.Builder   // the text of the open data element
	edges     []graphMLEdge
	graphs    int
	byDefault bool // edges without a direction of their own are directed
	within    string
	data      string // the key of the open data element
}

type graphMLEdge struct {
	from, to string
	directed bool
	weight   float64
	more     bool
}

// readGraphML reads the graph of a GraphML file. Nodes are named by the attribute
// name, or else by label, if every node has it and all differ. Otherwise they are
// named by their ids.
func readGraphML(text []byte, name string, _ bool) (*graph.Graph, error) {
	if !bytes.Contains(text[:min(len(text), 1<<16)], []byte("<graphml")) {
		return nil, fault.New(name+" is XML, but not GraphML", elseHint)
	}
	g := &graphML{builder: newBuilder(name), keys: map[string]string{}}
	decoder := xml.NewDecoder(bytes.NewReader(text))
	decoder.CharsetReader = charset
	if err := g.read(decoder); err != nil {
		line, _ := decoder.InputPos()
		return nil, fault.Wrap(err, fmt.Sprintf("%s line %d", name, line), "it is no whole GraphML file in UTF-8; write it again, or as an edge list")
	}
	if err := g.finish(); err != nil {
		return nil, fault.Wrap(err, name, elseHint)
	}
	return g.Graph()
}

// read processes the elements in order.
func (g *graphML) read(decoder *xml.Decoder) error {
	depth := 0
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) && depth == 0 {
			return nil
		}
		if err != nil {
			return err
		}
		switch t := token.(type) {
		case xml.StartElement:
			if depth++; depth > mostDepth {
				return fmt.Errorf("elements are nested more than %d deep", mostDepth)
			}
			err = g.begin(t)
		case xml.EndElement:
			depth--
			g.end(t.Name.Local)
		case xml.CharData:
			err = g.text(t)
		}
		if err != nil {
			return err
		}
	}
}

func attribute(t xml.StartElement, name string) string {
	for _, a := range t.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// begin processes the start of an element.
func (g *graphML) begin(t xml.StartElement) error {
	switch t.Name.Local {
	case "key":
		g.keys[attribute(t, "id")] = strings.ToLower(attribute(t, "attr.name"))
	case "graph":
		if g.graphs++; g.graphs > 1 {
			return errors.New("there is a second graph, or a graph within a node")
		}
		g.byDefault = attribute(t, "edgedefault") == "directed"
	case "node":
		id := attribute(t, "id")
		for k := range g.labels {
			g.labels[k] = append(g.labels[k], "")
		}
		g.within = "node"
		return g.node(id, id)
	case "edge":
		directed := g.byDefault
		if own := attribute(t, "directed"); own != "" {
			directed = own == "true"
		}
		g.edges = append(g.edges, graphMLEdge{attribute(t, "source"), attribute(t, "target"), directed, noWeight, false})
		g.within = "edge"
	case "hyperedge":
		return errors.New("a hyperedge joins more than two nodes")
	case "data":
		g.data = attribute(t, "key")
		if g.within == "edge" && g.keys[g.data] != "weight" && g.keys[g.data] != "id" && len(g.edges) > 0 {
			g.edges[len(g.edges)-1].more = true
		}
	}
	return nil
}

// end processes the end of an element. At the end of a data element it uses the text.
func (g *graphML) end(element string) {
	switch element {
	case "node", "edge":
		g.within = ""
	case "data":
		g.meant(strings.TrimSpace(g.open.String()))
		g.data = ""
		g.open.Reset()
	}
}

// longestData is the largest size in bytes of the text of a data element that is
// used.
const longestData = 1 << 16

// text keeps the text of a data element, which may come in parts.
func (g *graphML) text(text []byte) error {
	if g.data == "" || g.within == "" || !slices.Contains([]string{"name", "label", "weight"}, g.keys[g.data]) {
		return nil
	}
	if g.open.Len()+len(text) > longestData {
		return fmt.Errorf("the %s of a node or an edge is longer than %d bytes", g.keys[g.data], longestData)
	}
	g.open.Write(text)
	return nil
}

// meant stores the text of a data element by its meaning.
func (g *graphML) meant(text string) {
	switch meaning := g.keys[g.data]; {
	case g.within == "node" && meaning == "name":
		g.labels[0][len(g.Nodes)-1] = text
	case g.within == "node" && meaning == "label":
		g.labels[1][len(g.Nodes)-1] = text
	case g.within == "edge" && meaning == "weight":
		if x, err := strconv.ParseFloat(text, 64); err == nil {
			g.edges[len(g.edges)-1].weight = x
		}
	}
}

// charset returns a decoder for the encodings that XML may name and that need no
// further information.
func charset(name string, r io.Reader) (io.Reader, error) {
	switch strings.ToLower(name) {
	case "us-ascii", "ascii", "ansi_x3.4-1968", "utf8":
		return r, nil
	case "iso-8859-1", "latin1", "latin-1":
		return charmap.ISO8859_1.NewDecoder().Reader(r), nil
	case "windows-1252", "cp1252":
		return charmap.Windows1252.NewDecoder().Reader(r), nil
	}
	return nil, fmt.Errorf("the encoding %q is none of UTF-8, US-ASCII, ISO-8859-1 and windows-1252", name)
}

// finish adds the edges. They wait until here because their nodes may come after
// them.
func (g *graphML) finish() error {
	for _, e := range g.edges {
		if e.directed != g.edges[0].directed {
			return errors.New("some edges are directed and some are not")
		}
		if e.more {
			g.Dropped.Columns++
		}
		if err := g.between(e.from, e.to, e.weight); err != nil {
			return err
		}
		g.Directed = e.directed
	}
	if len(g.edges) == 0 {
		g.Directed = g.byDefault
	}
	if !g.useLabels(g.labels[0]) {
		g.useLabels(g.labels[1])
	}
	return nil
}
