package textfile

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/hearsay-dp/hearsay/fault"
)

// Bytes of an encoding are read as their characters, however few at a time, and passed on as UTF-8.
func TestEncodingsAreRead(t *testing.T) {
	for encoding, text := range map[string]string{
		"latin-1": "Z\xfcrich \xdf", "latin-9": "Z\xfcrich \xdf", "latin-2": "Z\xfcrich \xdf", "windows-1252": "Z\xfcrich \xdf",
		"windows-1250": "Z\xfcrich \xdf", "windows-1254": "Z\xfcrich \xdf", "cp850": "Z\x81rich \xe1", "cp437": "Z\x81rich \xe1", "macintosh": "Z\x9frich \xa7",
		"utf-8": "Zürich ß", "": "Zürich ß",
	} {
		n := Notation{Encoding: encoding}
		got, err := io.ReadAll(NewReader(iotest.OneByteReader(n.Decode(strings.NewReader(text), "t")), "t"))
		if err := n.Check(); err != nil || string(got) != "Zürich ß" {
			t.Errorf("%s: %q, %v", encoding, got, err)
		}
		if err != nil {
			t.Errorf("%s: %v", encoding, err)
		}
	}
}

// What is no character of the encoding that was said is refused, and so is UTF-8 under the name of another.
func TestWrongEncodingsAreRefused(t *testing.T) {
	for _, c := range []struct{ encoding, text, says, hint string }{
		{"windows-1252", "a\nb\x81", "line 2: the byte 0x81 is no character of windows-1252", "one of utf-8, latin-1"},
		{"latin-1", "a\nb\nc\x93quoted\x94", "line 3: the byte 0x93 is no character of latin-1", "windows-1252"},
		{"latin-1", "Zürich\nGenève\n", "is UTF-8, not latin-1", "leave the encoding out"},
		{"latin-2", "\xef\xbb\xbfage", "is UTF-8, not latin-2", "leave the encoding out"},
	} {
		_, err := io.ReadAll(NewReader(Notation{Encoding: c.encoding}.Decode(strings.NewReader(c.text), "t.csv"), "t.csv"))
		if err == nil || !strings.Contains(err.Error(), c.says) || !strings.Contains(fault.Hint(err), c.hint) {
			t.Errorf("%s of %q: %v (%s)", c.encoding, c.text, err, fault.Hint(err))
		}
	}
	for says, n := range map[string]Notation{"separator": {Separator: "::"}, "decimal": {Decimal: "'"}, "encoding": {Encoding: "ebcdic"}, "missing_values": {Missing: []string{""}}} {
		if err := n.Check(); err == nil || !strings.HasPrefix(err.Error(), says+": ") || fault.Hint(err) == "" {
			t.Errorf("%v: %v", n, err)
		}
	}
}

// What was said counts before what another notation says.
func TestNotationsCompleteEachOther(t *testing.T) {
	said, other := Notation{Separator: ";", Missing: []string{"9"}}, Notation{Separator: "|", Decimal: ",", Encoding: "latin-1", Missing: []string{"8"}}
	got := said.Or(other)
	if got.Separator != ";" || got.Decimal != "," || got.Encoding != "latin-1" || got.Missing[0] != "9" || !(Notation{}).Or(Notation{}).IsZero() || got.Comma() != ';' {
		t.Errorf("%+v", got)
	}
}

// Any bytes decode to UTF-8, or are refused, and reading ends.
func FuzzDecode(f *testing.F) {
	f.Add("latin-1", []byte("Z\xfcrich"))
	f.Add("cp437", []byte("\x81\n\xff"))
	f.Fuzz(func(t *testing.T, encoding string, text []byte) {
		got, err := io.ReadAll(Notation{Encoding: encoding}.Decode(bytes.NewReader(text), "t"))
		if err == nil && !bytes.Equal(got, text) && !bytes.Equal(got, []byte(strings.ToValidUTF8(string(got), ""))) {
			t.Errorf("%q became %q", text, got)
		}
	})
}
