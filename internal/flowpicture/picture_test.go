package flowpicture

import (
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/graph/gen"
	_ "github.com/hearsay-dp/hearsay/internal/draws"
	"github.com/hearsay-dp/hearsay/privacy/flow"
	"github.com/hearsay-dp/hearsay/sparse"
)

var update = flag.Bool("update", false, "write docs/flow.svg anew")

func picture(t interface{ Fatal(...any) }, expression string, rounds, u int, observers ...int) (string, flow.Problem, flow.Plan) {
	g, err := gen.Parse(expression, 1)
	if err != nil {
		t.Fatal(err)
	}
	w, err := graph.NewTransition(g, "hamilton")
	if err != nil {
		t.Fatal(err)
	}
	p := flow.Problem{Rounds: rounds, Weights: []*sparse.Matrix{w.Sparse()}}
	a, err := flow.New(p)
	if err != nil {
		t.Fatal(err)
	}
	best, err := a.Optimal(u, observers...)
	if err != nil {
		t.Fatal(err)
	}
	svg, err := Draw(p, best.Plan, func(j int) string { return fmt.Sprintf("node %d", j) })
	if err != nil {
		t.Fatal(err)
	}
	return svg, p, best.Plan
}

// The picture in docs/FLOW.md is what the program draws:
//
//	hearsay privacy flow --graph line:7 --rounds 7 --sigma 1 --u 3 --v 0 --picture docs/flow.svg
func TestThePictureInDocsIsWhatIsDrawn(t *testing.T) {
	const file = "../../docs/flow.svg"
	drawn, _, _ := picture(t, "line:7", 7, 3, 0)
	if *update {
		if err := os.WriteFile(file, []byte(drawn), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	words, numbers := apart(drawn)
	keptWords, keptNumbers := apart(string(kept))
	if words != keptWords || len(numbers) != len(keptNumbers) {
		t.Fatal("docs/flow.svg is of another program: draw it anew (go test ./internal/flowpicture -update)")
	}
	for k, x := range numbers {
		if math.Abs(x-keptNumbers[k]) > 0.02 {
			t.Fatalf("docs/flow.svg has %g, drawn is %g: draw it anew (go test ./internal/flowpicture -update)", keptNumbers[k], x)
		}
	}
}

var number = regexp.MustCompile(`-?\d+(\.\d+)?(e-?\d+)?`)

// apart takes numbers out of a text, so that the last digits of a processor do not count.
func apart(text string) (words string, numbers []float64) {
	for _, s := range number.FindAllString(text, -1) {
		x, _ := strconv.ParseFloat(s, 64)
		numbers = append(numbers, x)
	}
	return number.ReplaceAllString(text, "0"), numbers
}

// Whatever the graph, the run and the observers, the picture is well-formed, and
// says the energy of the plan.
func TestEveryPlanIsDrawn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		expression := rapid.SampledFrom([]string{"grid:1x4", "star:9", "ring:30", "hypercube:5", "er:n=20,p=0.3,connected", "ring:40"}).Draw(t, "graph")
		rounds := rapid.SampledFrom([]int{1, 2, 7, 12, 13, 30}).Draw(t, "rounds")
		observers := []int{0}
		if rapid.Bool().Draw(t, "coalition") {
			observers = append(observers, 2)
		}
		svg, p, plan := picture(t, expression, rounds, rapid.SampledFrom([]int{1, 3}).Draw(t, "u"), observers...)
		energy, err := flow.Energy(p, plan)
		if err != nil {
			t.Fatal(err)
		}
		if want := fmt.Sprintf("V = %.4g in all", energy); !strings.Contains(svg, want) {
			t.Fatalf("%q is not in the picture", want)
		}
		if strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
			t.Fatal("a number is none")
		}
		for d := xml.NewDecoder(strings.NewReader(svg)); ; {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
	})
}

// Names are text, never markup.
func TestNamesAreText(t *testing.T) {
	_, p, plan := picture(t, "grid:1x4", 3, 3, 0)
	svg, err := Draw(p, plan, func(int) string { return `<script>"&` })
	if err != nil || strings.Contains(svg, "<script>") {
		t.Errorf("error %v, %s", err, svg)
	}
}
