package file

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/graph"
)

// A graphML is what of a GraphML file has been read.
type graphML struct {
	*builder
	keys      map[string]string // what data keys mean: attr.name by id
	labels    []string
	edges     []graphMLEdge
	graphs    int
	byDefault bool // edges are directed unless they say otherwise
	within    string
	data      string // the key of the data element that is open
}

type graphMLEdge struct {
	from, to string
	directed bool
	weight   float64
	more     bool
}

// readGraphML reads the graph of a GraphML file. Nodes are called by the
// attribute label or name, where all have one and no two the same, else by their
// ids.
func readGraphML(text []byte, name string) (*graph.Graph, error) {
	if !bytes.Contains(text[:min(len(text), 1<<16)], []byte("<graphml")) {
		return nil, fault.New(name+" is XML, but not GraphML", elseHint)
	}
	g := &graphML{builder: newBuilder(name), keys: map[string]string{}}
	decoder := xml.NewDecoder(bytes.NewReader(text))
	if err := g.read(decoder); err != nil {
		line, _ := decoder.InputPos()
		return nil, fault.Wrap(err, fmt.Sprintf("%s line %d", name, line), "it is no whole GraphML file in UTF-8; write it again, or as an edge list")
	}
	if err := g.finish(); err != nil {
		return nil, fault.Wrap(err, name, elseHint)
	}
	return g.Graph()
}

// read follows the elements.
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
			g.text(string(t))
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

// begin takes in the start of an element.
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
		g.labels, g.within = append(g.labels, ""), "node"
		return g.node(id, id)
	case "edge":
		directed := g.byDefault
		if own := attribute(t, "directed"); own != "" {
			directed = own == "true"
		}
		g.edges = append(g.edges, graphMLEdge{attribute(t, "source"), attribute(t, "target"), directed, 1, false})
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

func (g *graphML) end(element string) {
	switch element {
	case "node", "edge":
		g.within = ""
	case "data":
		g.data = ""
	}
}

// text takes in the text of a data element.
func (g *graphML) text(text string) {
	if g.data == "" {
		return
	}
	switch meaning := g.keys[g.data]; {
	case g.within == "node" && (meaning == "label" || meaning == "name"):
		g.labels[len(g.labels)-1] += strings.TrimSpace(text)
	case g.within == "edge" && meaning == "weight":
		if x, err := strconv.ParseFloat(strings.TrimSpace(text), 64); err == nil {
			g.edges[len(g.edges)-1].weight = x
		}
	}
}

// finish adds the edges, whose nodes may have come after them.
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
	g.useLabels(g.labels)
	return nil
}
