package yamltext

// leaves counts the scalars, the empty lists and the empty mappings of a value.
func (n *Node) leaves() (count int) {
	for _, item := range n.Items {
		count += item.leaves()
	}
	for _, key := range n.Keys {
		count += key.Value.leaves()
	}
	return max(count, 1)
}
