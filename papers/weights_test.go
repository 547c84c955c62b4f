package papers

import "testing"

// 004 Figures 1, 2a, 2b and 3 as far as they come out: what is printed of them stands where
// we say that it does.
func TestFiguresOf004(t *testing.T) {
	for _, id := range []string{"004-figure-1", "004-figure-2-weights", "004-figure-3"} {
		if testing.Short() && id != "004-figure-1" {
			continue // runs, which the race detector sees elsewhere
		}
		s, err := Find(id)
		if err != nil {
			t.Fatal(err)
		}
		f, err := s.Findings(t.Context(), "", func(string) {})
		if err != nil || len(f.Checks) < 2 || len((Study{}).Failed(f)) > 0 {
			t.Errorf("%s: %v, %v", id, f, err)
		}
	}
}
