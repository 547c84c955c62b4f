//go:build !amd64

package tile

func foldVector(*Tile, []Tile, *Lanes, []Factors) bool { return false }

func multiplyVector(*Tile, []Tile, []Series) bool { return false }

func mixVector(_, _ *Tile, _ *Lanes, _ *Tile, _ *Lanes) bool { return false }
