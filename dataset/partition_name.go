package dataset

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/hearsay-dp/hearsay/fault"
)

// named reports whether nodes are called something that groups are to be matched
// with. Nodes that are only numbered 0, 1, .. match groups that are numbers too.
func named(nodes, groups []string, column string) bool {
	for v, name := range nodes {
		if name != strconv.Itoa(v) {
			return true
		}
	}
	return !slices.ContainsFunc(groups, func(group string) bool {
		_, err := strconv.Atoi(groupName(group, column))
		return err != nil
	})
}

// groupName returns the name by which a group and a node are matched: without the name of the column before it. Groups of a column
// of numbers have it, and so may texts and nodes: clinic A, of a column clinic, is A.
func groupName(name, column string) string {
	return strings.TrimSpace(strings.TrimPrefix(name, column+" "))
}

// byGroupName returns the index of each name by its groupName. Two names with one groupName are an error.
func byGroupName(names []string, column, what string) (map[string]int, error) {
	at := make(map[string]int, len(names))
	for i, name := range names {
		short := groupName(name, column)
		if other, twice := at[short]; twice {
			return nil, fault.New(fmt.Sprintf("column %q: the %s %q and %q have the same name", column, what, names[other], name), "call one of them otherwise; a name counts without "+strconv.Quote(column+" ")+" before it")
		}
		at[short] = i
	}
	return at, nil
}

// byName gives every node the rows of the group that has its name. A name that
// only one side has is an error.
func (t *Table) byName(groups [][]int32, names []string, o Options, column string) (assignment, error) {
	at, err := byGroupName(names, column, "groups")
	if err != nil {
		return assignment{}, err
	}
	nodes, err := byGroupName(o.Names, column, "nodes")
	if err == nil {
		err = t.checkGroups(at, nodes, column)
	}
	if err != nil {
		return assignment{}, err
	}
	a := assignment{offsets: []int{0}}
	for v, name := range o.Names {
		group := groups[at[groupName(name, column)]]
		rows := group
		if o.Rows > 0 {
			rows = rows[:min(o.Rows, len(rows))]
		}
		a.order = append(a.order, rows...)
		a.offsets = append(a.offsets, len(a.order))
		a.names = append(a.names, name)
		if len(o.Names) <= 20 {
			a.notes = append(a.notes, fmt.Sprintf("Group %s: node %d, %d training rows.", name, v, len(group)))
		}
	}
	return a, nil
}

// checkGroups checks groups with training rows against nodes, both by their names for matching.
func (t *Table) checkGroups(at, nodes map[string]int, column string) error {
	empty, strangers := without(nodes, at), without(at, nodes)
	if len(empty) == 0 && len(strangers) == 0 {
		return nil
	}
	if len(strangers) == 0 {
		if kept := t.keptForTesting(empty, column); kept != nil {
			return fault.New(fmt.Sprintf("column %q: all rows of %s are kept for testing", column, list(kept)), "give these nodes more rows, or lower data.test")
		}
	}
	var parts []string
	if len(empty) > 0 {
		parts = append(parts, "no row has the nodes "+list(empty))
	}
	if len(strangers) > 0 {
		parts = append(parts, "no node is called as the groups "+list(strangers))
	}
	return fault.New(fmt.Sprintf("column %q does not match the names of the %d nodes: %s", column, len(nodes), strings.Join(parts, "; ")),
		"write the names alike on both sides, or remove the nodes or rows that only one has; or use a generated graph, whose nodes have no names, or partition: uniform")
}

// without returns the sorted names of a that b does not have.
func without(a, b map[string]int) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(a)) {
		if _, has := b[name]; !has {
			names = append(names, name)
		}
	}
	return names
}

// keptForTesting returns the names if all of them have rows, which are then all in
// the test part. It returns nil if a name has none.
func (t *Table) keptForTesting(names []string, column string) []string {
	_, all, err := t.groupsBy(sequence(0, t.Rows()), column)
	if err != nil {
		return nil
	}
	for i, group := range all {
		all[i] = groupName(group, column)
	}
	for _, name := range names {
		if !slices.Contains(all, name) {
			return nil
		}
	}
	return names
}
