package attack

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/textfile"
)

// ReadTurns reads the edges of every turn of a graph that changes. A line holds
// a turn, below steps, and the two ends of an edge, separated by commas or
// spaces. Lines that start with # are comments. A turn may have no edge. name
// starts error messages, and find returns the node of an id.
func ReadTurns(r io.Reader, name string, steps int, find func(id string) (node int, ok bool)) ([][][2]int, error) {
	turns := make([][][2]int, steps)
	lines := bufio.NewScanner(textfile.NewReader(r, name))
	for number := 1; lines.Scan(); number++ {
		text := strings.TrimSpace(lines.Text())
		if text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		turn, edge, err := parseTurn(text, steps, find)
		if err != nil {
			return nil, fault.Wrap(err, fmt.Sprintf("%s line %d", name, number), fault.Hint(err))
		}
		turns[turn] = append(turns[turn], edge)
	}
	if err := lines.Err(); fault.Hint(err) != "" {
		return nil, err
	} else if err != nil {
		return nil, fault.Wrap(err, name+" cannot be read", "give lines of a turn and the two ends of an edge")
	}
	return turns, nil
}

func parseTurn(text string, steps int, find func(id string) (int, bool)) (turn int, edge [2]int, err error) {
	fields := strings.FieldsFunc(text, func(c rune) bool { return c == ',' || c == ' ' || c == '\t' })
	if len(fields) != 3 {
		return 0, edge, fault.New(fmt.Sprintf("%d columns", len(fields)), "give a turn and the two ends of an edge")
	}
	if turn, err = strconv.Atoi(fields[0]); err != nil || turn < 0 || turn >= steps {
		return 0, edge, fault.New(fmt.Sprintf("%.40q is not a turn: they are 0 to %d", fields[0], steps-1),
			"give as many steps as there are turns, which are numbered from 0")
	}
	for k := range edge {
		var ok bool
		if edge[k], ok = find(fields[1+k]); !ok {
			return 0, edge, fault.New(fmt.Sprintf("%.40q is not a node of the graph", fields[1+k]), "name nodes by their ids")
		}
	}
	if edge[0] == edge[1] {
		return 0, edge, fault.New(fmt.Sprintf("node %.40q averages with itself", fields[1]), "give two different nodes, or leave the line out")
	}
	return turn, edge, nil
}
