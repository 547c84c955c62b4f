package textfile

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/hearsay-dp/hearsay/fault"
)

// wide writes a text as UTF-16.
func wideText(text string, big bool) (out []byte) {
	for _, unit := range utf16.Encode([]rune(text)) {
		low, high := byte(unit), byte(unit>>8)
		if big {
			low, high = high, low
		}
		out = append(out, low, high)
	}
	return out
}

func TestTextsAreCleaned(t *testing.T) {
	long := strings.Repeat("é,日本,😀\n", 20_000)
	for text, want := range map[string]string{
		"": "", "a": "a", "\ufeffa,b\n": "a,b\n", "a\r\nb\r\n": "a\r\nb\r\n", "a\rb\rc": "a\nb\nc", "a\r": "a\r", "é": "é", long: long,
	} {
		for name, r := range map[string]io.Reader{"whole": strings.NewReader(text), "bytes": iotest.OneByteReader(strings.NewReader(text)), "halves": iotest.HalfReader(strings.NewReader(text))} {
			reader := NewReader(r, "x")
			got, err := io.ReadAll(reader)
			if err != nil || string(got) != want || reader.Bytes() != int64(len(want)) {
				t.Errorf("%s: %.20q is read as %.20q: %v", name, text, got, err)
			}
		}
	}
}

func TestWhatIsNoTextIsNamed(t *testing.T) {
	for text, what := range map[string]string{
		string(wideText("\ufeffage,ill\n", false)): "x.csv is UTF-16 text",
		string(wideText("\ufeffage,ill\n", true)):  "x.csv is UTF-16 text",
		string(wideText("age,ill\n", false)):       "x.csv is UTF-16 text",
		string(wideText("age,ill\n1,2", true)):     "x.csv is UTF-16 text",
		"a\x00\x00\x00g\x00\x00\x00e\x00\x00\x00":  "x.csv is UTF-32 text",
		"\x1f\x8b\x08\x00":                         "x.csv is compressed by gzip",
		"PK\x03\x04":                               "a zip archive",
		"a,b\n1,\xe9\n":                            "x.csv line 2: the byte 0xe9 after \"1,\" is not UTF-8",
		strings.Repeat("é\n", 40_000) + "\xe9":     "x.csv line 40001: the byte 0xe9 is not UTF-8",
		"a\n\xc3":                                  "x.csv line 2: the byte 0xc3 is not UTF-8",
		"a\n\xed\xa0\x80":                          "x.csv line 2: the byte 0xed is not UTF-8",
		"a,b\n1,\x002\n":                           "x.csv is not text: line 2 has a zero byte",
	} {
		for _, r := range []io.Reader{strings.NewReader(text), iotest.OneByteReader(strings.NewReader(text))} {
			if _, err := io.ReadAll(NewReader(r, "x.csv")); err == nil || !strings.Contains(err.Error(), what) || fault.Hint(err) == "" {
				t.Errorf("%.20q: %v, want %q and a hint", text, err, what)
			}
		}
	}
}

// Tables and edge lists are none of the forms.
// The command that a hint gives writes beside the file, in whatever folder it is.
func TestHintsWriteBesideTheFile(t *testing.T) {
	for _, text := range []string{"a\xe9\n", string(wideText("\ufeffage,ill\n", false))} {
		_, err := io.ReadAll(NewReader(strings.NewReader(text), "/my data/x.csv"))
		if hint := fault.Hint(err); !strings.HasSuffix(hint, " '/my data/x.csv' > '/my data/utf8-x.csv'") {
			t.Errorf("%q", hint)
		}
	}
}

func TestTablesHaveNoForm(t *testing.T) {
	for _, text := range []string{"age,ill\n", "<5,>5\n", "1 2:3 4:5\n", "a: b,c\n", "name:first,ill\n", "[unit],x\n", "{a},b\n", "% size\n1 2\n", "-1 1:2\n", "create,date\n", "#age,ill\n"} {
		if form, binary := Form([]byte(text)), Binary([]byte(text)); form != "" || binary != "" {
			t.Errorf("%q is taken for %s%s", text, form, binary)
		}
	}
}

// Whatever the bytes, what is passed on is UTF-8 without zeros, in pieces of any size.
func FuzzReader(f *testing.F) {
	for _, text := range []string{"a,b\n", "\ufeffa", "\xff\xfea\x00", "a\rb\rc", "\xe9", "é\x00"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := io.ReadAll(NewReader(bytes.NewReader(text), "x"))
		again, sliced := io.ReadAll(NewReader(iotest.OneByteReader(bytes.NewReader(text)), "x"))
		if (err == nil) != (sliced == nil) || err == nil && (!bytes.Equal(got, again) || !utf8.Valid(got) || bytes.IndexByte(got, 0) >= 0) {
			t.Errorf("%q is read as %q (%v) and as %q (%v)", text, got, err, again, sliced)
		}
		if err != nil && fault.Hint(err) == "" {
			t.Errorf("%v has no hint", err)
		}
	})
}
