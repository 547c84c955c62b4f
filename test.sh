#!/usr/bin/env bash
# Every check that main must pass. Needs Go and a C compiler (for the race
# detector); everything else is a Go module and installs itself.
#   ./test.sh         all of it
#   ./test.sh -short  without the race detector and the slow tests
set -euo pipefail
cd "$(dirname "$0")"

staticcheck=honnef.co/go/tools/cmd/staticcheck@v0.8.2

# Nothing in these, or in what they use, runs beside anything else, so the race detector has
# nothing to find there. internal/house tests that it is so.
alone='cmd/release dataset internal/chart internal/exact internal/house internal/portable internal/regular
internal/resident internal/spectral internal/subspace internal/tile internal/yamltext node/identity node/pairing
node/policy node/secret node/wire'

say() { printf '\n== %s\n' "$*"; }

say gofmt
unformatted=$(gofmt -l $(git ls-files '*.go'))
if [ -n "$unformatted" ]; then
  printf 'error: not gofmt-ed: %s\nhint: run gofmt -w on them\n' "$unformatted" >&2
  exit 1
fi

say go vet
go vet ./...

# staticcheck computes while the first tests wait, for nodes that are killed and for
# a browser; what it finds is said after them.
found=$(mktemp)
trap 'rm -f "$found"' EXIT
go run "$staticcheck" ./... >"$found" 2>&1 &
checking=$!

checked() {
  say staticcheck
  wait "$checking" || { cat "$found" >&2; exit 1; }
}

# Packages that wait the longest come first, and one more runs at a time than there
# are processors, so that others compute meanwhile.
at_once=$(($(getconf _NPROCESSORS_ONLN) + 1))

if [ "${1:-}" = -short ]; then
  say 'go test (short)'
  go test -vet=off -timeout 40m -short -p "$at_once" ./federation/faults ./web/browser ./cmd/... ./...
  checked
else
  say 'go test'
  go test -vet=off -timeout 40m -p "$at_once" ./federation/faults ./web/browser ./cmd/... ./... # vet has been
  checked
  say 'go test with the race detector, where there is concurrency'
  raced=$(go list ./cmd/... ./node/... ./federation ./experiment ./sim/... ./sparse/... ./internal/... ./dataset/... |
    grep -vxF "$(printf 'github.com/hearsay-dp/hearsay/%s\n' $alone)")
  go test -vet=off -timeout 40m -race -short -p "$at_once" $raced
fi
