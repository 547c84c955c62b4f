package hearsay_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/hearsay-dp/hearsay"
)

// ring is a graph of five nodes with one chord.
var ring = [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 0}, {1, 4}}

const averaging = `
data: {source: two-gaussians, features: 4, rows: 200, normalise: unit}
algorithm: {kind: gossip-gd, steps: 20, step_size: 1, clip: 0.3}
privacy: {unit: record, accountant: sound, calibrate: {max: 2}}`

// Price and run one schedule on a graph of one's own.
func Example() {
	ctx := context.Background()
	e, err := hearsay.Open(ctx, hearsay.Config{Text: averaging, Edges: ring})
	if err != nil {
		log.Fatal(err)
	}
	priced, err := e.Price(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(priced)
	result, err := priced.Run(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result)
	// Output:
	// epsilon at delta 1e-06: mean ≤ 1.585, max ≤ 2 (sound, by flow, per record, towards own messages; the final model is not covered)
	// test accuracy 0.968; epsilon at delta 1e-06: mean ≤ 1.585, max ≤ 2 (sound, by flow, per record, towards own messages; the final model is not covered)
}

// Open a spec from a file, with settings over it.
func ExampleOpen() {
	ctx := context.Background()
	e, err := hearsay.Open(ctx, hearsay.Config{File: "examples/kinds/walk.yaml", Set: []string{"graph=ring:8", "algorithm.steps=160"}})
	if err != nil {
		log.Fatal(err)
	}
	priced, err := e.Price(ctx)
	if err != nil {
		log.Fatal(err)
	}
	for _, a := range priced.Accounts {
		fmt.Println(a)
	}
	// Output:
	// epsilon at delta 1e-06: mean ≤ 8, max ≤ 10.08 (sound, by path, per participant, towards own messages; the final model is not covered)
	// epsilon at delta 1e-06: mean ≤ 11.93, max ≤ 11.93 (sound, by local, per participant, towards everybody together; the final model is covered)
}

// Explain what one node learns about another.
func ExamplePriced_Pair() {
	ctx := context.Background()
	e, err := hearsay.Open(ctx, hearsay.Config{Text: averaging, Edges: ring})
	if err != nil {
		log.Fatal(err)
	}
	priced, err := e.Price(ctx)
	if err != nil {
		log.Fatal(err)
	}
	pair, err := priced.Pair(0, 2)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(pair)
	fmt.Println(pair.Status == hearsay.Sound, pair.Unit, pair.CoversModel)
	_, guess, _ := strings.Cut(pair.Text, "this run, ")
	guess, _, _ = strings.Cut(guess, ",")
	fmt.Println(guess)
	// Output:
	// node 0 towards node 2: epsilon at delta 1e-06 ≤ 0.9908 (sound, by flow, per record, towards own messages; the final model is not covered)
	// true record false
	// its guess is right at most 54.7 % of the time
}
