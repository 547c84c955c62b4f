package dataset

import (
	"fmt"
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

// groupName returns the name of a group: the value of its column.
func groupName(group, column string) string {
	return strings.TrimSpace(strings.TrimPrefix(group, column+" "))
}

// byName gives every node the rows of the group that has its name. A name that
// only one side has is an error.
func (t *Table) byName(groups [][]int32, names []string, o Options, column string) (assignment, error) {
	at := make(map[string]int, len(names))
	for g, name := range names {
		at[groupName(name, column)] = g
	}
	if err := t.checkGroups(at, o, column); err != nil {
		return assignment{}, err
	}
	a := assignment{offsets: []int{0}}
	for v, name := range o.Names {
		rows := groups[at[name]]
		if o.Rows > 0 {
			rows = rows[:min(o.Rows, len(rows))]
		}
		a.order = append(a.order, rows...)
		a.offsets = append(a.offsets, len(a.order))
		a.names = append(a.names, name)
		if len(o.Names) <= 20 {
			a.notes = append(a.notes, fmt.Sprintf("Group %s: node %d, %d training rows.", name, v, len(groups[at[name]])))
		}
	}
	return a, nil
}

// checkGroups checks groups with training rows against the names of nodes.
func (t *Table) checkGroups(at map[string]int, o Options, column string) error {
	var empty, strangers []string
	known := make(map[string]bool, len(o.Names))
	for _, name := range o.Names {
		known[name] = true
		if _, has := at[name]; !has {
			empty = append(empty, name)
		}
	}
	for name := range at {
		if !known[name] {
			strangers = append(strangers, name)
		}
	}
	slices.Sort(strangers)
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
	return fault.New(fmt.Sprintf("column %q does not match the names of the %d nodes: %s", column, len(o.Names), strings.Join(parts, "; ")),
		"write the names alike on both sides, or remove the nodes or rows that only one has; or use a generated graph, whose nodes have no names, or partition: uniform")
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
