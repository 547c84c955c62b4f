package gen

import (
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/fault"
)

func TestBadExpressions(t *testing.T) {
	tests := []struct{ expr, what, hint string }{
		{"hypercub:4", `no graph generator "hypercub"`, "hypercube"},
		{"", "no graph generator", "complete"},
		{"er:n=10,q=0.5", `er has no key "q"`, "its keys are n, p, seed, connected"},
		{"er:n=10", "er needs p", "er:n=2048"},
		{"er:n=ten,p=0.5", `wants an integer from 1 to 2147483647 for n, not "ten"`, "er:n="},
		{"er:n=10.5,p=0.5", `not "10.5"`, ""},
		{"er:n=10,p=1.5", `wants a number from 0 to 1 for p, not "1.5"`, ""},
		{"er:n=10,p=NaN", `not "NaN"`, ""},
		{"er:n=10,p=0.5,seed=-1", "for seed", ""},
		{"er:n=10,p=0.5,connected=perhaps", "wants true or false for connected", ""},
		{"er:n=10,n=11,p=0.5", "gives n twice", ""},
		{"er:n=10,10,p=0.5", "gives p twice", ""},
		{"ring:12,sideways", `no place for "sideways"`, "n, directed"},
		{"ring:2", "from 3", ""},
		{"grid:4xx5", "for sides", "grid:45x45"},
		{"grid:4,5", `no place for "5"`, ""},
		{"exponential:100", "power of two", "64 and 128"},
		{"complete:100000", "at most", "smaller"},
		{"hypercube:30", "at most", ""},
		{"grid:100000x100000", "at most", ""},
		{"cliques:count=2147483647,size=2147483647", "at most", ""},
		{"balanced:r=10,h=2000000000", "at most", ""},
		{"regular:n=5,d=3", "odd number of nodes", "even"},
		{"regular:n=5,d=5", "from 0 to 4", ""},
		{"ba:n=5,m=5", "from 1 to 4", ""},
		{"sbm:sizes=3+4,p=0.5+0.1/0.2+0.5", "wants a symmetric p", ""},
		{"sbm:sizes=3+4,p=0.5+0.1", "2 sizes but 1 rows", ""},
		{"sbm:sizes=3+4,p=0.5/0.1", "1 entries in row 1", ""},
		{"sbm:sizes=3+4", "needs inside", ""},
		{"pairs:0-1+1-3", "no edge of node 2", "without a gap"},
		{"pairs:0-1+1-0", "twice", "once"},
		{"pairs:0-0", "itself", "once"},
		{"pairs:0-1+2", `for list, not ""`, "pairs:0-1"},
		{"pairs:0-1-2", `for list, not "1-2"`, "pairs:0-1"},
		{"pairs:0-99999", "from 0 to 65536", ""},
		{"florentine:3", `no place for "3"`, "write just florentine"},
	}
	for _, test := range tests {
		_, err := Parse(test.expr, 1)
		if err == nil {
			t.Errorf("%q was taken", test.expr)
			continue
		}
		if !strings.Contains(err.Error(), test.what) || !strings.Contains(fault.Hint(err), test.hint) || fault.Hint(err) == "" {
			t.Errorf("%q: error %q, hint %q; want %q and %q", test.expr, err, fault.Hint(err), test.what, test.hint)
		}
	}
}

func TestIsExpression(t *testing.T) {
	for text, want := range map[string]bool{"er:n=2": true, "davis": true, "./davis": false, "erx:3": false, "karate.csv": false} {
		if IsExpression(text) != want {
			t.Errorf("IsExpression(%q) is not %v", text, want)
		}
	}
}

// Whatever the text, it is taken apart or refused with a hint; nothing is
// built here, for a large graph is not a fault.
func FuzzParseExpression(f *testing.F) {
	for _, s := range specimens {
		f.Add(s.expr)
	}
	f.Add("er:n=10,,p==,connected=")
	f.Fuzz(func(t *testing.T, text string) {
		e, err := parseExpression(text, 1)
		if err != nil {
			if fault.Hint(err) == "" {
				t.Errorf("%q: no hint with %q", text, err)
			}
			return
		}
		for key := range e.values {
			if !e.generator.has(key) {
				t.Errorf("%q: took the unknown key %q", text, key)
			}
		}
	})
}
