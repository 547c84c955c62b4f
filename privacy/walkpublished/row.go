package walkpublished

// Towards sets dst[v] to the share of one contribution of u that reaches v. That is S[u][v] within
// [0, 1/2], or under a known sender the largest of these over the neighbours of v. dst[u] is 0. It
// needs no n x n matrix, so that it serves graphs on which Sums would not fit. It uses at most
// workers goroutines.
func (w *Accountant) Towards(dst []float64, u int, sender Sender, workers int) error {
	row := dst
	if sender == Known {
		row = make([]float64, len(dst))
	}
	if err := w.Row(row, u, workers); err != nil {
		return err
	}
	if sender == Known {
		senders := w.transition.Transpose()
		for v := range dst {
			dst[v] = worstSender(row, senders, u, v)
		}
	}
	for v := range dst {
		dst[v] = min(max(dst[v], 0), localCap)
	}
	dst[u] = 0
	return nil
}

// Between returns the share of one contribution of u that reaches v, as Towards does. Charge.Loss
// turns it into a loss.
func (w *Accountant) Between(u, v int, sender Sender, workers int) (float64, error) {
	reach := make([]float64, w.Len())
	err := w.Towards(reach, u, sender, workers)
	return reach[v], err
}
