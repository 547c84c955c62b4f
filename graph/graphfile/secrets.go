package graphfile

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/graph/gen"
)

// Names of the secrets graphs that need no file: the edges of the graph itself, all pairs, and a fixed number of
// partners for each node, drawn from a public seed.
const (
	EdgeSecrets     = "edges"
	CompleteSecrets = "complete"
	regularSecrets  = "regular:"
)

const secretsHint = "use edges, regular:4, complete, or the path of a graph file whose nodes have the names of the graph's"

// IsSecretsFile reports whether the name of a secrets graph is the path of a file.
func IsSecretsFile(how string) bool {
	return how != "" && how != EdgeSecrets && how != CompleteSecrets && !strings.HasPrefix(how, regularSecrets)
}

// OpenSecrets returns the graph of the pairs of nodes that share a secret. Its nodes are those of on, in the same
// order. A node that a file does not name shares no secret. note lists the parts of the file that were left out.
func OpenSecrets(how string, on *graph.Graph, seed uint64) (secrets *graph.Graph, note string, err error) {
	degree, drawn := strings.CutPrefix(how, regularSecrets)
	switch {
	case how == "" || how == EdgeSecrets:
		return on, "", nil
	case how == CompleteSecrets:
		secrets, err = gen.Parse(fmt.Sprintf("complete:%d", on.Len()), seed)
	case drawn:
		secrets, err = drawSecrets(how, degree, on.Len(), seed)
	case gen.IsExpression(how):
		err = fault.New(fmt.Sprintf("secrets: %s is a generator that secrets are not drawn by", how), secretsHint)
	default:
		return readSecrets(how, on)
	}
	return secrets, "", err
}

// drawSecrets draws a graph in which every node has the same number of partners. With two or more partners the graph
// is connected.
func drawSecrets(how, degree string, n int, seed uint64) (*graph.Graph, error) {
	d, err := strconv.Atoi(degree)
	if err != nil || d < 1 || d >= n {
		return nil, fault.New(fmt.Sprintf("secrets: %s is no number of partners for each of %d nodes", how, n), fmt.Sprintf("give regular:1 to regular:%d", n-1))
	}
	if d%2 == 1 && n%2 == 1 {
		return nil, fault.New(fmt.Sprintf("secrets: %s, but %d nodes cannot have %d partners each: both are odd", how, n, d), fmt.Sprintf("use regular:%d", d+1))
	}
	expression := fmt.Sprintf("regular:n=%d,d=%d", n, d)
	if d > 1 {
		expression += ",connected"
	}
	return gen.Parse(expression, seed)
}

// readSecrets reads a graph from a file whose nodes must be nodes of on.
func readSecrets(path string, on *graph.Graph) (secrets *graph.Graph, note string, err error) {
	listed, err := Open(path, 0)
	if err != nil {
		return nil, "", fault.Wrap(err, "secrets", secretsHint)
	}
	if listed.Directed() {
		return nil, "", fault.New(fmt.Sprintf("secrets: %s has arrows, and two nodes share a secret both ways", path), "give an undirected graph")
	}
	var pairs [][2]int
	at := make([]int, listed.Len())
	for u := range at {
		place, found := on.Find(listed.Label(u))
		if !found {
			return nil, "", fault.New(fmt.Sprintf("secrets: %s names %.40q, which is no node of %s", path, listed.Label(u), on.Name()), on.Hint(listed.Label(u)))
		}
		at[u] = place
		for _, v := range listed.Neighbours(u) {
			if int(v) < u {
				pairs = append(pairs, [2]int{place, at[v]})
			}
		}
	}
	secrets, err = graph.FromEdges(path, on.Len(), pairs)
	return secrets, listed.Dropped().Note(), err
}
