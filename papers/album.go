package papers

import (
	"context"
	"fmt"
	"slices"

	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/graph/gen"
	"github.com/hearsay-dp/hearsay/internal/chart"
	"github.com/hearsay-dp/hearsay/spec"
)

// shape returns the planes, the height and the width of the gallery's images.
func (g gallery) shape() [3]int {
	if g.digits {
		return [3]int{1, 28, 28}
	}
	return [3]int{3, 32, 32}
}

// image returns an image at a place. Its frame says whether it is recognised: green, or red if it is not. True images
// have a grey frame.
func (g gallery) image(x []float64, at graph.Point, frame int) Image {
	return Image{X: at.X, Y: at.Y, URI: chart.DataURI(chart.Pixels(x, g.shape(), 0, 1)), Frame: frame}
}

// Frames of images, as colours of the palette.
const (
	frameFound = 3
	frameLost  = 5
	frameTrue  = 7
)

func frameOf(h hanging) int {
	if recognised(h) {
		return frameFound
	}
	return frameLost
}

// A viewing takes an attacker's result, the true image, and the one that was found, nil if there is none.
type viewing func(h hanging, truth, found []float64)

// inRow adds the images that one attack found to a row of a panel, below the true ones in row 0.
func (p *Panel) inRow(g gallery, row int, column func(hanging) int) viewing {
	return func(h hanging, truth, found []float64) {
		x := float64(column(h))
		if row == 1 {
			p.Images = append(p.Images, g.image(truth, graph.Point{X: x}, frameTrue))
		}
		if found != nil {
			p.Images = append(p.Images, g.image(found, graph.Point{X: x, Y: float64(-row)}, frameOf(h)))
		}
	}
}

func byDistanceOf(h hanging) int { return h.distance }
func byNode(h hanging) int       { return h.node }

// rowsPanel is an empty panel for rows of images.
func rowsPanel(title, x string, rows ...string) *Panel {
	return &Panel{Title: title, X: x, Linear: true, Rows: rows}
}

// barbadori is the attacker of the detail of Figure 4.5, the published code's node 5; acciaiuoli, its node 0, that of
// Figure A.5.
const barbadori, acciaiuoli = 2, 0

// A detail holds the images that one attacker of the Florentine graph finds, in rows and at the nodes of the graph.
type detail struct {
	attacker    int
	florence    *graph.Graph
	at          []graph.Point
	rows, nodes *Panel
}

// newDetail returns the detail of Barbadori, or of the first of some attackers that are others.
func newDetail(attackers []int) (*detail, error) {
	g, err := gen.Parse("florentine", 1)
	if err != nil {
		return nil, err
	}
	d := &detail{attacker: attackers[0], florence: g, at: placed(g)}
	if slices.Contains(attackers, barbadori) {
		d.attacker = barbadori
	}
	title, own := fmt.Sprintf("node %d attacks, run 1", d.attacker), d.at[d.attacker]
	d.rows = rowsPanel(title, "node", "true", "as published", "refined")
	d.nodes = &Panel{Title: title, Linear: true, Graph: true, Lines: []Line{edgesOf(g, d.at), {Name: "attacker", X: []float64{own.X}, Y: []float64{own.Y}, Dots: true}}}
	return d, nil
}

func (d *detail) viewing(g gallery, row int) viewing {
	inRow := d.rows.inRow(g, row, byNode)
	return func(h hanging, truth, found []float64) {
		if h.attacker != d.attacker {
			return
		}
		inRow(h, truth, found)
		if row == 1 && found != nil {
			d.nodes.Images = append(d.nodes.Images, g.image(found, d.at[h.node], frameOf(h)))
		}
	}
}

// charts draws the detail, and the graph in the colours of every attacker's share if all attack.
func (d *detail) charts(shares []float64) []Chart {
	panels := []Panel{*d.nodes}
	if len(shares) == d.florence.Len() {
		panels = append([]Panel{shaded(d.florence, "share recognised when the node attacks", -1, shares, []float64{0.2, 0.4, 0.6, 0.8})}, panels...)
	}
	return []Chart{{"graph", panels}, {"images", []Panel{*d.rows}}}
}

// florentineDigits reproduces 002 Figure A.5: one family attacks a convolutional network.
func florentineDigits() Study {
	run := func(most int, change func(*spec.Spec)) func(context.Context, string, func(string)) (*Findings, error) {
		return func(ctx context.Context, data string, say func(string)) (*Findings, error) {
			images := rowsPanel(fmt.Sprintf("node %d attacks", acciaiuoli), "node", "true", "as published")
			g := gallery{graph: "florentine", steps: 8, rate: 1e-5, attackers: []int{acciaiuoli}, digits: true, change: change, most: most}
			g.seen = images.inRow(g, 1, byNode)
			all, err := g.show(ctx, data, 1, true)
			if err != nil {
				return nil, err
			}
			f := &Findings{Tables: []Table{{Name: "table", Header: []string{"node", "distance", "PSNR", "relative square distance", "PSNR of a guess"}}},
				Charts: []Chart{{"images", []Panel{*images}}}}
			for _, h := range all {
				f.Tables[0].Rows = append(f.Tables[0].Rows, []string{fmt.Sprint(h.node), fmt.Sprint(h.distance), number(h.psnr), number(h.off), number(h.guess)})
			}
			say(ofAll(all, recognised) + " digits recognised")
			f.judge(&all, func() []Check { return familyChecks(all) })
			return f, nil
		}
	}
	return Study{ID: "002-figure-a.5", Title: "Digits that a Florentine family reconstructs from D-GD of a convolutional network", Source: "002 Figure A.5",
		Data: "mnist/train-images-idx3-ubyte.gz", compute: run(0, nil), quick: run(500, littleNetwork)}
}

func ofAll(all []hanging, holds func(hanging) bool) string {
	return fmt.Sprintf("%.0f of %d", share(all, holds)*float64(len(all)), len(all))
}

func familyChecks(all []hanging) []Check {
	psnr, _ := byHops(all)
	near := append(psnr, 0)[0]
	return []Check{
		{"most digits are recognised, as far as a PSNR of 10 says so", AsPublished, share(all, recognised) > 0.5, ofAll(all, recognised) + " have a PSNR of 10 or more"},
		{"the digit of the attacker's neighbour is found well above what counts as reconstructed", AsRecorded, near >= 20, fmt.Sprintf("PSNR %.3g", near)},
		{"most digits come nearer than a guess, the mean of all digits", WhatIsTrue, share(all, learnt) > 0.5, ofAll(all, learnt)},
	}
}
