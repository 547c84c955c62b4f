package visible

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	_ "github.com/hearsay-dp/hearsay/internal/draws"
)

func TestWhatATerminalWouldObeyIsEscaped(t *testing.T) {
	for text, want := range map[string]string{
		"lyon":                         "lyon",
		"San José, Žižkov, 北京, ☃":      "San José, Žižkov, 北京, ☃",
		"a\tb\nc\r\n":                  "a\tb\nc\r\n",
		"\x1b[2J\x1b[31msound":         `\u001b[2J\u001b[31msound`,
		"\x1b]0;title\a":               `\u001b]0;title\u0007`,
		"over\rwritten":                `over\u000dwritten`,
		"a\u202egnp.exe":               `a\u202egnp.exe`,
		"\u2066x\u2069\u200f":          `\u2066x\u2069\u200f`,
		"\u009b2J":                     `\u009b2J`,
		"\x9b2J":                       `\x9b2J`,
		"del\x7f":                      `del\u007f`,
		"tag\U000e0041":                `tag\udb40\udc41`,
		"two\u2028lines":               `two\u2028lines`,
		"\x1b[8mhidden\x1b[0m shown":   `\u001b[8mhidden\u001b[0m shown`,
		"\x1b[38;5;9mred\x1b[m normal": `\u001b[38;5;9mred\u001b[m normal`,
	} {
		var b bytes.Buffer
		w := &Writer{To: &b}
		if n, err := w.Write([]byte(text)); err != nil || n != len(text) {
			t.Errorf("%q: %d, %v", text, n, err)
		}
		if b.String() != want {
			t.Errorf("%q is written %q, want %q", text, b.String(), want)
		}
	}
}

// Its own colours pass, and nothing else that begins like one.
func TestOwnColoursPass(t *testing.T) {
	for _, text := range []string{"\x1b[90m│\x1b[m", "\x1b[1;32mok\x1b[0m", "\x1b[38;5;208mx\x1b[39m", "\x1b[38;2;1;2;3mx\x1b[0m"} {
		var b bytes.Buffer
		if _, err := (&Writer{To: &b, Colours: true}).Write([]byte(text)); err != nil || b.String() != text {
			t.Errorf("%q becomes %q, %v", text, b.String(), err)
		}
	}
	for _, text := range []string{"\x1b[8mx", "\x1b[2J", "\x1b[1;8mx", "\x1b[0;", "\x1b[38;5;9", "\x1b]8;;http://x\a", "\x1b[5n"} {
		var b bytes.Buffer
		if _, err := (&Writer{To: &b, Colours: true}).Write([]byte(text)); err != nil || strings.Contains(b.String(), "\x1b") {
			t.Errorf("%q becomes %q, %v", text, b.String(), err)
		}
	}
}

// However text is cut into writes, the same comes out; nothing of it is a control character but tabs and line feeds, and JSON
// stays JSON of the same value.
func TestAnyTextInAnyPieces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })).Draw(t, "text")
		var whole, cut bytes.Buffer
		a, b := &Writer{To: &whole}, &Writer{To: &cut}
		mustWrite(t, a, text)
		for rest := text; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "piece")
			mustWrite(t, b, rest[:n])
			rest = rest[n:]
		}
		if a.Close() != nil || b.Close() != nil {
			t.Fatal("close")
		}
		if strings.ReplaceAll(whole.String(), "\r\n", "\n") != strings.ReplaceAll(strings.ReplaceAll(cut.String(), "\r\n", "\n"), `\u000d`+"\n", "\n") {
			t.Fatalf("%q whole, %q in pieces", whole.String(), cut.String())
		}
		for i, r := range whole.String() {
			if unicode.IsControl(r) && r != '\n' && r != '\t' && !strings.HasPrefix(whole.String()[i:], "\r\n") || turns(r) {
				t.Fatalf("%q comes out of %q", r, text)
			}
		}
		if !utf8.ValidString(text) {
			return
		}
		encoded, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		var shown bytes.Buffer
		mustWrite(t, &Writer{To: &shown}, string(encoded))
		var back string
		if err := json.Unmarshal(shown.Bytes(), &back); err != nil || back != text {
			t.Fatalf("%q is %q as JSON: %v", text, back, err)
		}
	})
}

func mustWrite(t *rapid.T, w *Writer, text string) {
	if n, err := w.Write([]byte(text)); err != nil || n != len(text) {
		t.Fatal(n, err)
	}
}
