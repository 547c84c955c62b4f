package report

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

func TestTable(t *testing.T) {
	for _, color := range []bool{false, true} {
		var out bytes.Buffer
		if err := Table(&out, fakeResult("houses", 2048, 11264), color); err != nil {
			t.Fatal(err)
		}
		text := out.String()
		if strings.Contains(text, "\x1b") != color {
			t.Errorf("color %v: escape codes %v", color, strings.Contains(text, "\x1b"))
		}
		for _, words := range []string{"houses", "0.8843", "8 trials", "published (calibrated)", "3.782", "sound", "2.834", "not release noise"} {
			if !strings.Contains(text, words) {
				t.Errorf("color %v: the table does not say %q:\n%s", color, words, text)
			}
		}
	}
}

func TestTableWithoutPrivacy(t *testing.T) {
	r := fakeResult("plain", 4, 3)
	r.Privacy = Privacy{}
	var out bytes.Buffer
	if err := Table(&out, r, false); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(out.String(), "accountant") || !strings.Contains(out.String(), "test loss") {
		t.Errorf("table:\n%s", out.String())
	}
}

func TestTableReportsAFailedWrite(t *testing.T) {
	if err := Table(broken{}, fakeResult("x", 4, 3), false); !errors.Is(err, errBroken) {
		t.Errorf("error %v", err)
	}
}

var errBroken = errors.New("broken pipe")

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errBroken }

// Sums of means over trials that make whole rows are written as whole rows.
func TestTenthsOfWholeRows(t *testing.T) {
	for x, want := range map[float64]string{322: "322", 317.99999999999994: "318", 274.4: "274.4"} {
		if got := tenths(x); got != want {
			t.Errorf("%v is written %q, want %q", x, got, want)
		}
	}
}
