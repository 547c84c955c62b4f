package resident

import (
	"crypto/sha256"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// What a process maps: of its file what is to be run and read, read after it was relocated,
// and written; of another file; of none.
const mapped = `00400000-01d1b000 r-xp 00000000 fe:00 6037                       /usr/bin/a program
Rss:               17576 kB
Anonymous:             0 kB
01d1b000-0394b000 r--p 0191b000 fe:00 6037                       /usr/bin/a program
Rss:               17596 kB
Anonymous:             0 kB
0394b000-0394f000 r--p 0354b000 fe:00 6037                       /usr/bin/a program
Anonymous:            16 kB
0394f000-03ab3000 rw-p 0354f000 fe:00 6037                       /usr/bin/a program
Anonymous:             0 kB
2ada18800000-2ada19400000 rw-p 00000000 00:00 0 
Anonymous:             0 kB
7f64d7110000-7f64d7266000 r-xp 00026000 fe:00 99                 /usr/lib/libc.so.6
Anonymous:             0 kB
7ffc0000-7ffd0000 r-xp 00000000 00:00 0                          [vdso]
Anonymous:             0 kB
`

// Only spans that are what stands in the program's file are dropped.
func TestOnlyPristineSpans(t *testing.T) {
	got := pristine(strings.NewReader(mapped), "/usr/bin/a program")
	if want := []span{{0x400000, 0x191b000}, {0x1d1b000, 0x1c30000}}; !slices.Equal(got, want) {
		t.Errorf("%x, want %x", got, want)
	}
	for _, bad := range []string{"", "\n", "x", "1-2", "zz-1 r-xp 0 0:0 0 /p", "2-1 r-xp 0 0:0 0 /p\nAnonymous: 0 kB", strings.Repeat("a", 1<<20)} {
		if got := pristine(strings.NewReader(bad), "/p"); len(got) > 0 {
			t.Errorf("%.20q: %x", bad, got)
		}
	}
}

// A process that has handed its program back holds less of it, and computes what it did.
func TestTrim(t *testing.T) {
	before, sum := fromFiles(t), sha256.Sum256([]byte(mapped))
	Trim()
	if after := fromFiles(t); after >= before {
		t.Errorf("%d KB of files were resident, and %d KB are", before, after)
	}
	if sha256.Sum256([]byte(mapped)) != sum {
		t.Error("another hash than before")
	}
}

// fromFiles is how much of files is in the memory of this process, in KB.
func fromFiles(t *testing.T) int {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "RssFile:")
	number, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	size, err := strconv.Atoi(number)
	if err != nil {
		t.Skipf("SKIPPED: this system does not say how much of files is resident: %v", err)
	}
	return size
}
