package graph

// Components returns the connected components; of a directed graph, the
// strongly connected ones. of[u] is the number of the component of node u,
// and sizes[c] counts the nodes of component c. Components are numbered by
// their smallest node.
func (g *Graph) Components() (of []int32, sizes []int) {
	if g.design.Directed {
		return g.strongComponents()
	}
	of = make([]int32, g.Len())
	for u := range of {
		of[u] = -1
	}
	var queue []int32
	for u := range of {
		if of[u] >= 0 {
			continue
		}
		id := int32(len(sizes))
		of[u] = id
		queue = append(queue[:0], int32(u))
		for head := 0; head < len(queue); head++ {
			for _, v := range g.Neighbours(int(queue[head])) {
				if of[v] < 0 {
					of[v] = id
					queue = append(queue, v)
				}
			}
		}
		sizes = append(sizes, len(queue))
	}
	return of, sizes
}

// strongComponents follows Kosaraju. It searches against the arrows, from
// nodes in the reverse order in which a depth-first search finished them.
func (g *Graph) strongComponents() (of []int32, sizes []int) {
	order := g.finishOrder()
	back := g.Reversed()
	found := make([]int, g.Len())
	for u := range found {
		found[u] = -1
	}
	for k := len(order) - 1; k >= 0; k-- {
		root := order[k]
		if found[root] >= 0 {
			continue
		}
		found[root] = root
		stack := []int{root}
		for len(stack) > 0 {
			u := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			for _, v := range back.Neighbours(u) {
				if found[v] < 0 {
					found[v] = root
					stack = append(stack, int(v))
				}
			}
		}
	}
	return renumber(found)
}

// finishOrder lists the nodes in the order in which a depth-first search
// finishes them.
func (g *Graph) finishOrder() []int {
	next := make([]int, g.Len()) // 0: not seen; k+1: neighbour k is next
	order := make([]int, 0, g.Len())
	for root := range next {
		if next[root] > 0 {
			continue
		}
		next[root] = 1
		stack := []int{root}
		for len(stack) > 0 {
			u := stack[len(stack)-1]
			row := g.Neighbours(u)
			if k := next[u] - 1; k == len(row) {
				order = append(order, u)
				stack = stack[:len(stack)-1]
			} else {
				next[u]++
				if v := int(row[k]); next[v] == 0 {
					next[v] = 1
					stack = append(stack, v)
				}
			}
		}
	}
	return order
}

// Reversed returns g with every arrow reversed, without labels or positions.
func (g *Graph) Reversed() *Graph { return FromPairs(g.Len(), g.arrowsBack(), true) }

// undirected returns g without the directions of its arrows.
func (g *Graph) undirected() *Graph { return FromPairs(g.Len(), g.arrowsBack(), false) }

func (g *Graph) arrowsBack() [][2]int32 {
	pairs := make([][2]int32, 0, len(g.targets))
	for u := range g.Len() {
		for _, v := range g.Neighbours(u) {
			pairs = append(pairs, [2]int32{v, int32(u)})
		}
	}
	return pairs
}

// renumber replaces arbitrary marks by 0, 1, .. in order of first appearance.
func renumber(marks []int) (of []int32, sizes []int) {
	of = make([]int32, len(marks))
	number := map[int]int32{}
	for u, mark := range marks {
		id, known := number[mark]
		if !known {
			id = int32(len(sizes))
			number[mark] = id
			sizes = append(sizes, 0)
		}
		of[u] = id
		sizes[id]++
	}
	return of, sizes
}
