package dataset

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/hearsay-dp/hearsay/fault"
)

// assignment lists the table rows of each node: node v owns those at
// order[offsets[v]:offsets[v+1]].
type assignment struct {
	order   []int32
	offsets []int
	names   []string // of the nodes, nil if they have none
	notes   []string
}

// partition spreads shuffled training rows over o.Nodes nodes.
//
//   - uniform: equal shards of rows in random order.
//   - position, position:FEATURE: equal shards of rows in the order of the
//     label (or feature), so that neighbouring ids hold similar rows (000,
//     Figure 7).
//   - column:NAME: each node holds rows of one group only: that of the node's name, see
//     byName, or without names the groups in their order, see byGroup.
//   - dirichlet:C: equal shards with skewed labels; see byDirichlet.
func partition(t *Table, train []int32, o Options, rng *rand.Rand) (assignment, error) {
	if kind, arg := partitionKind(o.Partition); kind == "column" && o.Names != nil {
		groups, names, err := t.groupsBy(train, arg)
		if err != nil {
			return assignment{}, err
		}
		if named(o.Names, names, arg) {
			return t.byName(groups, names, o, arg)
		}
	}
	if len(train) < o.Nodes*max(o.Rows, 1) {
		return assignment{}, fault.New(fmt.Sprintf("%d training rows are too few for %d nodes with %d rows each", len(train), o.Nodes, max(o.Rows, 1)),
			"use fewer nodes or fewer rows per node")
	}
	each := o.Rows
	if each == 0 {
		each = len(train) / o.Nodes
	}
	equal := assignment{order: train[:o.Nodes*each], offsets: equalOffsets(o.Nodes, each)}
	switch kind, arg := partitionKind(o.Partition); kind {
	case "uniform":
		return equal, nil
	case "position":
		return equal, sortRows(t, equal.order, arg)
	case "dirichlet":
		a, err := concentration(arg)
		if err != nil {
			return assignment{}, err
		}
		return byDirichlet(t, train, o.Nodes, each, a, rng)
	case "column":
		return byColumn(t, train, o, arg)
	}
	return assignment{}, fault.New(fmt.Sprintf("unknown partition %q", o.Partition), "use uniform, position, column:NAME or dirichlet:CONCENTRATION")
}

// sortRows orders rows by a feature, or by the label if name is empty. Equal
// keys keep their random order.
func sortRows(t *Table, rows []int32, name string) error {
	key := func(i int32) float64 { return t.Y[i] }
	if name != "" {
		j := t.column(name)
		if j < 0 {
			return noColumn(t, name)
		}
		key = func(i int32) float64 { return t.Row(int(i))[j] }
	}
	slices.SortStableFunc(rows, func(a, b int32) int { return cmp.Compare(key(a), key(b)) })
	return nil
}

// byColumn spreads rows by the natural group, or by the values of a feature.
func byColumn(t *Table, train []int32, o Options, name string) (assignment, error) {
	groups, names, err := t.groupsBy(train, name)
	if err != nil {
		return assignment{}, err
	}
	if len(names) > o.Nodes {
		return assignment{}, fault.New(fmt.Sprintf("%d nodes are too few for the %d groups of column %q", o.Nodes, len(names), name),
			fmt.Sprintf("use at least %d nodes, or partition: position:%s", len(names), name))
	}
	a := byGroup(groups, names, o)
	a.notes = append(a.notes, fmt.Sprintf("The nodes have no names that the groups of %s could be matched with: groups are placed on nodes in their order.", name))
	return a, nil
}

// groupsBy collects rows by their group, in the order of the groups that
// occur.
func (t *Table) groupsBy(rows []int32, name string) (groups [][]int32, names []string, err error) {
	if name == t.Group && t.Group != "" {
		byGroup := make([][]int32, len(t.GroupNames))
		for _, i := range rows {
			byGroup[t.Groups[i]] = append(byGroup[t.Groups[i]], i)
		}
		for g, rows := range byGroup {
			if len(rows) > 0 {
				groups, names = append(groups, rows), append(names, t.GroupNames[g])
			}
		}
		return groups, names, nil
	}
	j := t.column(name)
	if j < 0 {
		return nil, nil, noColumn(t, name)
	}
	sorted := slices.Clone(rows)
	if err := sortRows(t, sorted, name); err != nil {
		return nil, nil, err
	}
	for start, i := 0, 1; i <= len(sorted); i++ {
		value := t.Row(int(sorted[start]))[j]
		if i == len(sorted) || t.Row(int(sorted[i]))[j] != value {
			groups = append(groups, sorted[start:i])
			names = append(names, name+" "+strconv.FormatFloat(value, 'g', -1, 64))
			start = i
		}
	}
	return groups, names, nil
}

// byGroup gives every node rows of one group only. With as many nodes as
// groups, node g holds group g; with more, a group gets nodes in proportion
// to its rows, which it spreads as evenly as it can. Shards are not of equal
// length; o.Rows, if not 0, is the most a node holds.
func byGroup(groups [][]int32, names []string, o Options) assignment {
	nodes := nodesPerGroup(groups, o.Nodes)
	a := assignment{offsets: []int{0}}
	first := 0
	for g, rows := range groups {
		for k := range nodes[g] {
			share := rows[k*len(rows)/nodes[g] : (k+1)*len(rows)/nodes[g]]
			if o.Rows > 0 {
				share = share[:min(o.Rows, len(share))]
			}
			a.order = append(a.order, share...)
			a.offsets = append(a.offsets, len(a.order))
			a.names = append(a.names, memberName(names[g], k, nodes[g]))
		}
		if len(groups) <= 20 {
			a.notes = append(a.notes, fmt.Sprintf("Group %s: %s, %d training rows.", names[g], nodeRange(first, nodes[g]), len(rows)))
		}
		first += nodes[g]
	}
	return a
}

// memberName returns the name of node k of the count nodes of a group.
func memberName(group string, k, count int) string {
	if count == 1 {
		return group
	}
	return fmt.Sprintf("%s %d", group, k+1)
}

// nodesPerGroup gives one node to each group and every further node to the
// group whose nodes hold the most rows, so that no node is empty while there
// are at least as many rows as nodes.
func nodesPerGroup(groups [][]int32, nodes int) []int {
	count := make([]int, len(groups))
	for g := range count {
		count[g] = 1
	}
	for range nodes - len(groups) {
		fullest := 0
		for g := range groups {
			if len(groups[g])*count[fullest] > len(groups[fullest])*count[g] {
				fullest = g
			}
		}
		count[fullest]++
	}
	return count
}

// nodeRange writes "node 3" or "nodes 3 to 7".
func nodeRange(first, count int) string {
	if count == 1 {
		return fmt.Sprintf("node %d", first)
	}
	return fmt.Sprintf("nodes %d to %d", first, first+count-1)
}

// noColumn returns the error for a feature that is not there.
func noColumn(t *Table, name string) error {
	columns := t.Features
	if t.Group != "" {
		columns = append([]string{t.Group}, columns...)
	}
	return fault.New(fmt.Sprintf("%s has no column %q", t.Source, name), "its columns are: "+list(columns))
}
