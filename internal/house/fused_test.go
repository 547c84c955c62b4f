package house

import (
	"bytes"
	"debug/elf"
	"debug/gosym"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// mayFuse are functions whose numbers are shown and never computed with: they inline a
// library that fuses.
var mayFuse = []string{module + "/report.colourMap", module + "/internal/spread.OfShare"}

// noProductIsFused tests that no product is added without a rounding of its own. A processor of 64-bit ARM has
// instructions that multiply and add at once, and the compiler uses them wherever a
// product is not converted by hand, float64(a*b), also beyond an assignment or a call.
// Processors without them would compute other last digits.
func noProductIsFused(t *testing.T, program string) {
	t.Helper()
	for _, f := range fusedIn(t, program) {
		own := strings.HasPrefix(f.function, module) || strings.HasPrefix(f.function, "main.")
		if strings.HasPrefix(f.function, module+"/attack") && strings.Contains(f.file, "gonum.org") {
			continue // attacks solve by a library; they measure, and nothing is computed with what they find
		}
		if own && !slices.Contains(mayFuse, f.function) && !asksForIt(t, f) {
			t.Errorf("%s:%d: %s fuses a product with a sum: convert the product, float64(a*b)", f.file, f.line, f.function)
		}
	}
}

// forARM64 compiles the program for 64-bit ARM and returns where it lies.
func forARM64(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "hearsay")
	command := exec.Command("go", "build", "-o", path, module+"/cmd/hearsay")
	command.Env = append(os.Environ(), "GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0")
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("go build for arm64: %v\n%s", err, out)
	}
	return path
}

// A fused instruction multiplies and adds with one rounding.
type fused struct {
	function, file string
	line           int
}

// fusedIn returns the fused instructions of a program for 64-bit ARM. An instruction is
// 4 bytes, and the first byte of these is 0x1f (FMADD, FMSUB, FNMADD, FNMSUB).
func fusedIn(t *testing.T, path string) (all []fused) {
	t.Helper()
	program, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer program.Close()
	section := program.Section(".text")
	text, err := section.Data()
	if err != nil {
		t.Fatal(err)
	}
	lines, err := program.Section(".gopclntab").Data()
	if err != nil {
		t.Fatal(err)
	}
	table, err := gosym.NewTable(nil, gosym.NewLineTable(lines, section.Addr))
	if err != nil {
		t.Fatal(err)
	}
	for at := 0; at+4 <= len(text); at += 4 {
		if binary.LittleEndian.Uint32(text[at:])>>24 != 0x1f {
			continue
		}
		file, line, function := table.PCToLine(section.Addr + uint64(at))
		if function != nil {
			all = append(all, fused{function.Name, file, line})
		}
	}
	if len(all) == 0 {
		t.Fatal("no instruction is fused, not even those that the standard library asks for")
	}
	return all
}

// asksForIt reports whether the line of source calls math.FMA.
func asksForIt(t *testing.T, f fused) bool {
	t.Helper()
	text, err := os.ReadFile(f.file)
	if err != nil || f.line < 1 {
		return false
	}
	lines := bytes.Split(text, []byte("\n"))
	return f.line <= len(lines) && bytes.Contains(lines[f.line-1], []byte("math.FMA("))
}
