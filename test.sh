#!/usr/bin/env bash
# Every check that main must pass. Needs Go and a C compiler (for the race
# detector); everything else is a Go module and installs itself.
#   ./test.sh         all of it
#   ./test.sh -short  without the race detector and the slow tests
set -euo pipefail
cd "$(dirname "$0")"

staticcheck=honnef.co/go/tools/cmd/staticcheck@v0.8.2

say() { printf '\n== %s\n' "$*"; }

say gofmt
unformatted=$(gofmt -l $(git ls-files '*.go'))
if [ -n "$unformatted" ]; then
  printf 'error: not gofmt-ed: %s\nhint: run gofmt -w on them\n' "$unformatted" >&2
  exit 1
fi

say go vet
go vet ./...

say staticcheck
go run "$staticcheck" ./...

if [ "${1:-}" = -short ]; then
  say 'go test (short)'
  go test -vet=off -short ./...
else
  say 'go test'
  go test -vet=off ./... # vet has been
  say 'go test with the race detector, where there is concurrency'
  go test -vet=off -race -short ./sim/... ./experiment/... ./sparse/... ./internal/... ./dataset/... ./node/... ./federation ./cmd/...
fi
