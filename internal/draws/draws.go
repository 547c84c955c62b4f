// Package draws sets the seed of property tests. All runs draw the same cases, so that a test that passes for one person passes
// for everybody, unless other cases are asked for. Test packages that use rapid import it for its effect.
//
//	go test ./...                      the same cases as yesterday
//	HEARSAY_DRAWS=any go test ./...    cases nobody has tried
//
// A flag on the command line (-rapid.seed) wins over both.
package draws

import (
	"flag"
	"os"

	_ "pgregory.net/rapid" // declares the flag
)

// Variable is the environment variable that lets tests draw anything.
const Variable = "HEARSAY_DRAWS"

// seed is the seed of rapid. 0 would mean the time.
const seed = "1"

func init() {
	if os.Getenv(Variable) != "any" {
		if err := flag.Set("rapid.seed", seed); err != nil {
			panic("draws: rapid has no flag for its seed: " + err.Error())
		}
	}
}
