package price

import (
	"fmt"
	"io"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/internal/flowpicture"
	"github.com/hearsay-dp/hearsay/internal/regular"
	"github.com/hearsay-dp/hearsay/privacy/flow"
)

// drawFlow writes the picture of a plan. The file appears complete or not at
// all.
func drawFlow(path string, p flow.Problem, plan flow.Plan, g *graph.Graph) error {
	svg, err := flowpicture.Draw(p, plan, func(j int) string {
		if g.Labelled() {
			return g.Label(j)
		}
		return fmt.Sprintf("node %d", j)
	})
	if err != nil {
		return err
	}
	err = regular.Write(path, 0o644, func(w io.Writer) error {
		_, err := io.WriteString(w, svg)
		return err
	})
	if err != nil {
		return fault.Wrap(err, "cannot write the picture", "choose a file in a folder that you may write to")
	}
	return nil
}
