package graphfile

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
)

// comments holds the properties that the comments of an edge list state.
type comments struct {
	spoken       bool // whether the direction of edges is stated
	directed     bool
	bipartite    bool // left and right ids name different nodes
	nodes, edges int  // -1: not stated
}

var (
	konect    = regexp.MustCompile(`^%\s*(asym|sym|bip)\b`)
	konectOf  = regexp.MustCompile(`^%\s*(\d+)\s+(\d+)\s+(\d+)\s*$`)
	directed  = regexp.MustCompile(`(?i)^[#%/]+\s*(un)?directed\b`)
	nodesSaid = regexp.MustCompile(`(?i)\b(?:nodes|vertices)\s*[:=]\s*(\d+)`)
	edgesSaid = regexp.MustCompile(`(?i)\b(?:edges|arcs|links)\s*[:=]\s*(\d+)`)
)

// commentsOf reads the comments before the first edge: KONECT's "% asym" and sizes, SNAP's "# Directed graph" and
// "# Nodes: 5 Edges: 4".
func commentsOf(lines []line) comments {
	c := comments{nodes: -1, edges: -1}
	for _, l := range lines {
		if !l.silent() {
			break
		}
		if m := konect.FindSubmatch(l.text); m != nil {
			c.spoken, c.directed, c.bipartite = true, string(m[1]) == "asym", string(m[1]) == "bip"
		}
		if m := konectOf.FindSubmatch(l.text); m != nil && c.spoken {
			c.edges, c.nodes = number(m[1]), number(m[2])
			if c.bipartite {
				c.nodes += number(m[3])
			}
		}
		if m := directed.FindSubmatch(l.text); m != nil {
			c.spoken, c.directed = true, len(m[1]) == 0
		}
		if m := nodesSaid.FindSubmatch(l.text); m != nil {
			c.nodes = number(m[1])
		}
		if m := edgesSaid.FindSubmatch(l.text); m != nil {
			c.edges = number(m[1])
		}
	}
	return c
}

func number(text []byte) int {
	n, err := strconv.Atoi(string(bytes.TrimSpace(text)))
	if err != nil {
		return -1
	}
	return n
}

// note appends to said whether the graph is bipartite, and the stated sizes that differ from the nodes and edge
// lines that were read.
func (c *comments) note(nodes, lines int, said string) string {
	add := func(format string, args ...any) {
		if said != "" {
			said += "; "
		}
		said += fmt.Sprintf(format, args...)
	}
	if c.bipartite {
		add("the file says that it is bipartite: ids on the left are called L.., those on the right R..")
	}
	if c.nodes >= 0 && c.nodes != nodes {
		add("its comments speak of %d nodes, and its edges name %d", c.nodes, nodes)
	}
	if c.edges >= 0 && c.edges != lines && c.edges*2 != lines && c.edges != lines*2 {
		add("its comments speak of %d edges, and %d lines follow", c.edges, lines)
	}
	return said
}
