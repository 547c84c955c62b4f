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
alone='cmd/release internal/chart internal/digits internal/drawntest internal/exact internal/house internal/math
internal/regular internal/resident internal/spectral internal/spread internal/subspace internal/textfile internal/tile
internal/visible internal/yamltext node/identity node/pairing node/policy node/secret node/wire'

say() { printf '\n== %s\n' "$*"; }

say gofmt
unformatted=$(gofmt -l $(git ls-files '*.go'))
if [ -n "$unformatted" ]; then
  printf 'error: not gofmt-ed: %s\nhint: run gofmt -w on them\n' "$unformatted" >&2
  exit 1
fi

say go vet
go vet ./...

said=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$said"' EXIT
export GOTMPDIR=${GOTMPDIR:-${TMPDIR:-/tmp}} TMPDIR=${TMPDIR:-$(.ci/scratch)}

# beside NAME COMMAND...: runs a command while others wait, for nodes that are killed and for
# a browser. What it says is said by ended PID NAME TITLE.
failed=0
beside() { "${@:2}" >"$said/$1" 2>&1 & }
ended() {
  say "$3"
  wait "$1" || failed=1
  cat "$said/$2"
}

# Packages that wait the longest come first, and one more runs at a time than there
# are processors, so that others compute meanwhile.
processors=$(getconf _NPROCESSORS_ONLN)
first='./federation/faults ./web/browser ./cmd/...'
tests() { go test -vet=off -timeout 40m -p "$@"; } # vet has been

# roomy COMMAND...: the heap of a test may be five times what is alive, up to 1 GB, before it is collected, which
# saves an eighth of the tests' processor time. Nodes and commands that tests start collect as for their users.
roomy() { GOGC=400 GOMEMLIMIT=1GiB "$@"; }

beside staticcheck go run "$staticcheck" ./...
checking=$!
if [ "${1:-}" = -short ]; then
  say 'go test (short)'
  roomy tests $((processors + 1)) -short $first ./... || failed=1
else
  raced=$(go list ./cmd/... ./node/... ./federation ./experiment ./sim/... ./sparse/... ./internal/... ./dataset/... |
    grep -vxF "$(printf 'github.com/hearsay-dp/hearsay/%s\n' $alone)")
  beside race tests $((processors > 2 ? processors - 1 : 1)) -race -short $raced
  racing=$!
  say 'go test'
  roomy tests $((processors + 1)) $first ./... || failed=1
  ended $racing race 'go test with the race detector, where there is concurrency'
fi
ended $checking staticcheck staticcheck
exit $failed
