package main

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/internal/testdata"
)

// What the program allocates before main, all packages together, is most of what --help takes, which is meant to end within
// 50 ms. It is counted instead of timed, so that it does not depend on who else is at work.
const (
	mostInitBytes  = 3 << 20
	mostInitPieces = 30_000
)

func TestItStartsAtOnce(t *testing.T) {
	testdata.Sequential(t)
	for _, args := range [][]string{
		{"--help"}, {"--version"}, {"privacy", "walk", "--graph", "ring:10", "--steps", "100", "--sigma", "4"},
	} {
		command := exec.Command("hearsay", args...)
		command.Env = append(os.Environ(), "GODEBUG=inittrace=1")
		var said bytes.Buffer
		command.Stderr = &said
		if err := command.Run(); err != nil {
			t.Fatalf("%v: %v: %s", args, err, &said)
		}
		size, pieces, worst, most := 0, 0, "", 0
		for lines := bufio.NewScanner(&said); lines.Scan(); {
			// init spec @3 ms, 0.2 ms clock, 1646776 bytes, 2170 allocs
			fields := strings.Fields(lines.Text())
			if len(fields) != 11 || fields[0] != "init" {
				continue
			}
			bytes, _ := strconv.Atoi(fields[7])
			allocs, _ := strconv.Atoi(fields[9])
			size, pieces = size+bytes, pieces+allocs
			if bytes > most {
				worst, most = fields[1], bytes
			}
		}
		if size == 0 || size > mostInitBytes || pieces > mostInitPieces {
			t.Errorf("%v: init allocates %d bytes in %d pieces, of which %d bytes in %s: put it off until somebody needs it", args, size, pieces, most, worst)
		}
	}
}
