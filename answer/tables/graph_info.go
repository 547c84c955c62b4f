package tables

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/graph/graphfile"
)

// A GraphInfo is the answer of `hearsay graph info`. Parts that do not exist are null, such as the
// diameter of a disconnected graph.
type GraphInfo struct {
	Name             string         `json:"name"`
	Nodes            int            `json:"nodes"`
	Edges            int            `json:"edges"`
	Directed         bool           `json:"directed"`
	Degree           degreeInfo     `json:"degree"`
	Components       int            `json:"components"`
	LargestComponent int            `json:"largest_component"`
	Connected        bool           `json:"connected"`
	Diameter         *DiameterInfo  `json:"diameter"`
	Weights          string         `json:"weights"`
	Symmetric        bool           `json:"symmetric"`
	DoublyStochastic bool           `json:"doubly_stochastic"`
	SelfLoopMass     selfMassInfo   `json:"self_loop_mass"`
	SpectralGap      *gapInfo       `json:"spectral_gap"`
	MixingTime       *MixingInfo    `json:"mixing_time"`
	Isolated         int            `json:"isolated"` // components of a single node
	Dropped          map[string]int `json:"dropped"`
	Header           string         `json:"header,omitempty"`
	Notes            []string       `json:"notes,omitempty"`
}

type degreeInfo struct {
	Min  int     `json:"min"`
	Mean float64 `json:"mean"`
	Max  int     `json:"max"`
}

// A DiameterInfo holds bounds on a diameter, in hops.
type DiameterInfo struct {
	Lower int  `json:"lower"`
	Upper int  `json:"upper"`
	Exact bool `json:"exact"`
}

type selfMassInfo struct {
	Mean float64 `json:"mean"`
	Max  float64 `json:"max"`
}

type gapInfo struct {
	Value     float64 `json:"value"`
	Residual  float64 `json:"residual"`
	Converged bool    `json:"converged"`
}

// A MixingInfo holds bounds on a mixing time, in hops.
type MixingInfo struct {
	Iota   float64 `json:"iota"`
	Lower  int     `json:"lower"`
	Upper  int     `json:"upper"`
	Status string  `json:"status"` // exact, bounds or estimate
}

// mixingIota is the total variation distance to stationarity that the papers take when they name none.
const mixingIota = 0.25

// DescribeGraph computes sizes, distances and mixing of a graph. weights is a rule or the path of a matrix.
func DescribeGraph(g *graph.Graph, weights string) (*GraphInfo, error) {
	w, err := graphfile.OpenTransition(g, weights)
	if err != nil {
		return nil, err
	}
	_, sizes := g.Components()
	low, mean, high := g.DegreeRange()
	self, most := w.SelfMass()
	dropped := w.Graph().Dropped()
	info := &GraphInfo{
		Name: g.Name(), Nodes: g.Len(), Edges: g.Edges(), Directed: g.Directed(),
		Degree:     degreeInfo{low, mean, high},
		Components: len(sizes), Connected: len(sizes) == 1,
		Weights: w.Rule(), Symmetric: w.Symmetric(), DoublyStochastic: w.DoublyStochastic(),
		SelfLoopMass: selfMassInfo{self, most},
		Dropped: map[string]int{"loops": dropped.Loops, "repeats": dropped.Repeats, "weights": dropped.Weights, "columns": dropped.Columns,
			"zeros": dropped.Zeros},
		Header: dropped.Header,
	}
	unused := graph.Dropped{Weights: dropped.Weights, Columns: dropped.Columns, Zeros: dropped.Zeros, Said: dropped.Said}
	if note := unused.Note(); note != "" {
		info.Notes = append(info.Notes, note)
	}
	for _, size := range sizes {
		if size == 1 && g.Len() > 1 {
			info.Isolated++
		}
		info.LargestComponent = max(info.LargestComponent, size)
	}
	info.addSpectrum(w)
	info.addDiameter(g)
	return info, nil
}

func (i *GraphInfo) addDiameter(g *graph.Graph) {
	d, err := g.Diameter(0)
	if err != nil {
		i.Notes = append(i.Notes, "diameter: "+err.Error())
		return
	}
	i.Diameter = &DiameterInfo{d.Lower, d.Upper, d.Exact()}
}

// addSpectrum sets the spectral gap and the mixing time. If one does not exist, it adds the reason as a note.
func (i *GraphInfo) addSpectrum(w *graph.Transition) {
	gap, err := w.SpectralGap()
	if err == nil {
		i.SpectralGap = &gapInfo{gap.Value, gap.Residual, gap.Converged}
	} else {
		i.Notes = append(i.Notes, "spectral gap: "+err.Error())
	}
	mixing, err := w.MixingTime(mixingIota, gap)
	if err != nil {
		i.Notes = append(i.Notes, "mixing time: "+err.Error())
		return
	}
	status := "bounds"
	if mixing.Exact {
		status = "exact"
	} else if mixing.Estimate {
		status = "estimate"
	}
	i.MixingTime = &MixingInfo{mixing.Iota, mixing.Lower, mixing.Upper, status}
}

// Print writes the description as aligned lines.
func (i *GraphInfo) Print(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	row := func(name, format string, values ...any) {
		fmt.Fprintf(t, "%s\t%s\n", name, fmt.Sprintf(format, values...))
	}
	row("graph", "%s", i.Name)
	row("nodes", "%d", i.Nodes)
	row("edges", "%d%s", i.Edges, i.dropped())
	row("directed", "%s", yesNo(i.Directed))
	row("degree", "%d to %d, mean %.4g", i.Degree.Min, i.Degree.Max, i.Degree.Mean)
	row("connected", "%s", i.connected())
	if d := i.Diameter; d != nil {
		row("diameter", "%s", interval(d.Lower, d.Upper, "bounds"))
	}
	row("weights", "%s", i.Weights)
	row("symmetric", "%s", yesNo(i.Symmetric))
	row("doubly stochastic", "%s", yesNo(i.DoublyStochastic))
	row("self-loop mass", "mean %.4g, largest %.4g", i.SelfLoopMass.Mean, i.SelfLoopMass.Max)
	if gap := i.SpectralGap; gap != nil {
		row("spectral gap", "%s", gap.text())
	}
	if m := i.MixingTime; m != nil {
		row(fmt.Sprintf("mixing time (%g)", m.Iota), "%s hops", interval(m.Lower, m.Upper, m.Status))
	}
	for _, note := range i.Notes {
		row("note", "%s", note)
	}
	return t.Flush()
}

func (i *GraphInfo) dropped() string {
	var parts []string
	if k := i.Dropped["loops"]; k > 0 {
		parts = append(parts, fmt.Sprintf("%d self loops", k))
	}
	if k := i.Dropped["repeats"]; k > 0 {
		parts = append(parts, fmt.Sprintf("%d repeats", k))
	}
	if i.Header != "" {
		parts = append(parts, fmt.Sprintf("the header %q", i.Header))
	}
	if parts == nil {
		return ""
	}
	return " (left out: " + strings.Join(parts, ", ") + ")"
}

func (i *GraphInfo) connected() string {
	if i.Connected {
		return "yes"
	}
	return fmt.Sprintf("no: %d components, the largest of %d nodes, %d of a single node", i.Components, i.LargestComponent, i.Isolated)
}

func (g *gapInfo) text() string {
	if g.Converged {
		return fmt.Sprintf("%.6g", g.Value)
	}
	return fmt.Sprintf("at most %.4g (estimate; an eigenvalue within %.1e)", g.Value, g.Residual)
}

func interval(lower, upper int, status string) string {
	if lower == upper {
		return fmt.Sprint(lower)
	}
	return fmt.Sprintf("%d to %d (%s)", lower, upper, status)
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
