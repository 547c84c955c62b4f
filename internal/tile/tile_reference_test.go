package tile

// Minus subtracts q h from c: two panels of the same length and a tile.
func Minus(c, q []float64, h *Tile) { minus(c, q, h, Width, Width, q) }
