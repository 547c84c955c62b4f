/*
Package hearsay prices and runs decentralized learning under differential privacy. People who hold
data train a model together without a server. Before the run each of them gets bounds on how much every
other participant can learn about it.

A program opens a spec, prices it and runs it. The run releases exactly the schedule that was priced.
This program does so on its own graph:

	package main

	import (
		"context"
		"fmt"
		"log"

		"github.com/hearsay-dp/hearsay"
	)

	func main() {
		ctx := context.Background()
		e, err := hearsay.Open(ctx, hearsay.Config{Edges: [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 0}, {1, 4}}, Text: `
	data: {source: two-gaussians, features: 4, rows: 200, normalise: unit}
	algorithm: {kind: gossip-gd, steps: 20, step_size: 1, clip: 0.3}
	privacy: {unit: record, accountant: sound, calibrate: {max: 2}}`})
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
	}

Config.File opens a spec from a file instead, and a spec without Edges names its graph itself, such as
"graph: hypercube:4". Priced.Pair explains one pair of nodes in words. docs/SPEC.md lists all keys.

# What a loss says

A privacy loss bounds how much better an observer can tell two neighbouring data sets apart after
the run, as an epsilon at a delta or as a Renyi divergence. Every value that this package returns
with a loss has a [Claim], whose fields hold the conditions of the loss:

  - Unit is the protected unit. "participant" protects all the data of one participant, "record" one row.
  - Towards is the observer. "own messages" is one participant with the messages that reach it, "all
    messages" one who sees every message, and "everybody together" all others who pool every message.
  - CoversModel reports whether the loss still holds if everybody is shown the final model. If it is
    false, an observer of the model may learn more than the loss allows.
  - Status says how far the loss can be trusted. A sound loss is an upper bound whose assumptions were checked.
    A loss that is "sound if" rests on an assertion that nobody has checked. A published loss is a
    formula as a paper prints it, and not always a bound. An audit is a lower bound: an attack attains it.
  - Assumptions are the sentences that the loss rests on.

Decide by sound losses alone. A [Priced] and a [Result] embed the account of the accountant that
the spec names. "accountant: sound" takes the least sound loss of every pair.

The noise of Run comes from the seed of the spec. Run shows the cost and the accuracy of a run, and
protects nobody. To take part in a real run use the command hearsay node.
*/
package hearsay
