package house

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/internal/testdata"
)

// asks is what code that asks which family an algorithm is looks like.
var asks = regexp.MustCompile(`IsGossip|Protocol [!=]= nil|Gossip [!=]= nil|Averaging\(\)|Kind [!=]= "|case "(walk|gossip|gossip-gd|gossip-sgd)"`)

// Nobody but the families asks which one an algorithm is.
func TestNobodyAsksWhichFamily(t *testing.T) {
	testdata.Sequential(t)
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		own := strings.HasPrefix(path, filepath.Join(root, "internal", "family"))
		if err != nil || d.IsDir() || own || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		if found := asks.Find(text); found != nil {
			t.Errorf("%s asks which family it is: %s", path, found)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
