package walklikelihood

// Game prepares for sights of a track.
func (h *Hidden) Game(track []Turn, sights []Sight) *Game {
	g := h.game(track, sights)
	if h.counts() {
		h.find(g.looks(), 0, h.even())
	}
	return g
}
