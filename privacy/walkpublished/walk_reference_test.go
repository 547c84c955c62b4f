package walkpublished

// Steps is T.
func (w *Accountant) Steps() int { return w.steps }

// At is S[u][v].
func (s *Sums) At(u, v int) float64 { return s.Values[u*s.N+v] }
