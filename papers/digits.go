package papers

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/hearsay-dp/hearsay/attack/gradientinversion"
	"github.com/hearsay-dp/hearsay/spec"
)

//go:embed specs/mnist-convnet.yaml
var digits []byte

// farDigits is the distance up to which 002 Figure 4.4(b) calls reconstructions accurate.
const farDigits = 26

// accurateDigits returns the claim for a line of nodes nodes.
func accurateDigits(nodes int) string { return asFar("reconstructions are accurate", farDigits, nodes) }

// asFar returns the claim that something holds up to a distance, as far as a line of nodes nodes can test it.
func asFar(what string, distance, nodes int) string {
	if end := nodes - 1; end < distance {
		return fmt.Sprintf("%s up to distance %d, the end of this line: the paper's claim, up to %d, is not tested", what, end, distance)
	}
	return fmt.Sprintf("%s up to distance %d", what, distance)
}

// lineOfDigits reproduces 002 Figure 4.4(b): the end of a line attacks a convolutional network. It inverts gradients
// by our own method (gradientinversion.Inversion); 002 uses that of Geiping et al.
func lineOfDigits() Study {
	run := func(nodes, most int, change func(*spec.Spec)) func(ctx context.Context, data string, say func(string)) (*Findings, error) {
		return func(ctx context.Context, data string, say func(string)) (*Findings, error) {
			g := gallery{graph: fmt.Sprintf("line:%d", nodes), steps: nodes, rate: 1e-5, attackers: []int{0}, digits: true, change: change, most: most}
			return g.digitsByDistance(ctx, data, say)
		}
	}
	return Study{ID: "002-figure-4.4b", Title: "Digits that the end of a line reconstructs from D-GD of a convolutional network, by distance",
		Source: "002 Figure 4.4(b), Table A.2", Data: "mnist/train-images-idx3-ubyte.gz", compute: run(31, 0, nil), quick: run(3, 2000, littleNetwork),
		differs: map[string]string{accurateDigits(31): "far away the gradient that one solution of all rounds gives is off by many times its length, so that nothing is said of most digits " +
			"(docs/PAPERS.md has it by distance); and a PSNR of 10 is what the mean of all digits has, without any message"}}
}

// littleNetwork makes a network whose gradients are inverted in seconds.
func littleNetwork(s *spec.Spec) {
	s.Model.Maps, s.Model.Kernel, s.Model.Hidden = spec.Widths{16, 32}, 5, spec.Widths{16}
}

func (g gallery) digitsByDistance(ctx context.Context, data string, say func(string)) (*Findings, error) {
	images := rowsPanel("images, "+g.graph, "distance in hops", "true", "as published")
	g.seen = images.inRow(g, 1, byDistanceOf)
	all, err := g.show(ctx, data, 1, true)
	if err != nil {
		return nil, err
	}
	_, far := byHops(all)
	say(fmt.Sprintf("recognisable up to distance %d", far))
	table := Table{Name: "table", Header: []string{"distance", "PSNR", "relative square distance"}}
	for _, h := range all {
		table.Rows = append(table.Rows, []string{fmt.Sprint(h.distance), number(h.psnr), number(h.off)})
	}
	psnr, _ := byHops(all)
	f := &Findings{Tables: []Table{table}, Charts: []Chart{{"figure", []Panel{psnrPanel(g.graph, psnrLine("as published", psnr))}}, {"images", []Panel{*images}}}}
	f.judge(&all, func() []Check { return digitsChecks(g.steps, all) })
	return f, nil
}

func digitsChecks(nodes int, all []hanging) []Check {
	psnr, far := byHops(all)
	exact := 0
	for _, h := range all {
		if h.off <= gradientinversion.Precise*gradientinversion.Precise {
			exact++
		}
	}
	return []Check{
		{accurateDigits(nodes), AsPublished, far >= min(24, nodes-1),
			fmt.Sprintf("PSNR of 10 or more up to distance %d of %d", far, nodes-1)},
		{"the digit of the attacker's neighbour is found well above what counts as reconstructed", AsRecorded, psnr[0] >= 20,
			fmt.Sprintf("PSNR %.3g, %d of %d digits exact to 1e-6", psnr[0], exact, nodes-1)},
	}
}
