package dossier

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/regular"
	"github.com/hearsay-dp/hearsay/internal/visible"
	"github.com/hearsay-dp/hearsay/internal/yamltext"
)

// Said is one point in the words of the maker of a dossier. No program can check it, but a signature of the dossier
// covers it.
type Said struct {
	Point string `json:"point"`
	Text  string `json:"text"` // "": nothing was stated
}

// mostSaid limits the text of a point, in characters. largestSaid limits the file, in bytes.
const mostSaid, largestSaid = 1500, 64 << 10

// points lists the points of a dossier with their keys in the file, in the order of the page. Data protection officers ask
// for each of them before a decision.
var points = []struct{ key, point string }{
	{"purpose", "purpose"},
	{"legal_basis", "legal basis"},
	{"controllers", "controllers"},
	{"source", "source of the data"},
	{"period", "period that the data cover"},
	{"recipients", "who gets the model"},
	{"publication", "whether the model may be published"},
	{"retention", "how long data and model are kept"},
	{"erasure", "how a person’s data are erased"},
	{"side_channels", "what is done about timing, caches and physical access"},
	{"contact", "whom to ask"},
}

// ReadSaid reads statements about a run from a YAML file of texts. Nothing is stated about a point whose key is missing or
// empty. An unknown key, a text that is too long, and an invisible character are errors.
func ReadSaid(path string) ([]Said, error) {
	text, err := regular.Read(path, largestSaid)
	if err != nil {
		return nil, fault.Wrap(err, "cannot read "+path, "give a YAML file with keys such as purpose: and legal_basis:")
	}
	return parseSaid(text, path)
}

func parseSaid(text []byte, name string) ([]Said, error) {
	doc, err := yamltext.NewDocument(text, largestSaid, name)
	if err != nil {
		return nil, fault.New(err.Error(), saidHint())
	}
	given := map[string]string{}
	if err := doc.Decode(&given); err != nil {
		return nil, fault.New(err.Error(), saidHint())
	}
	said := make([]Said, 0, len(points))
	for _, p := range points {
		stated := strings.Join(strings.Fields(given[p.key]), " ")
		delete(given, p.key)
		if n := utf8.RuneCountInString(stated); n > mostSaid {
			return nil, fault.New(fmt.Sprintf("%s: %s has %d characters", name, p.key, n), fmt.Sprintf("say it in %d, and name the document that has the rest", mostSaid))
		}
		if visible.Text(stated) != stated {
			return nil, fault.New(fmt.Sprintf("%s: %s has characters that do not show, or that change the order of others", name, p.key), "write it as plain text")
		}
		said = append(said, Said{p.point, stated})
	}
	for key := range given {
		return nil, fault.New(fmt.Sprintf("%s: %q is no point of a dossier", name, visible.Text(key)), saidHint())
	}
	return said, nil
}

func saidHint() string {
	keys := make([]string, len(points))
	for i, p := range points {
		keys[i] = p.key
	}
	return "a line for each is KEY: text, with the keys " + strings.Join(keys, ", ")
}

// SaidForm returns a file with every key and no text, to be filled in.
func SaidForm() string {
	var b strings.Builder
	b.WriteString("# What a dossier states about a run, in words of its maker: hearsay dossier SPEC.yaml --about THIS.yaml\n")
	for _, p := range points {
		fmt.Fprintf(&b, "%s: \"\" # %s\n", p.key, p.point)
	}
	return b.String()
}

// checkSaid returns an error for points that ReadSaid could not have returned.
func checkSaid(said []Said) error {
	if len(said) != 0 && len(said) != len(points) {
		return fault.New(fmt.Sprintf("said has %d points, and must have %d or none", len(said), len(points)), "do not rely on it; get it again from whoever made it")
	}
	for i, s := range said {
		if s.Point != points[i].point || s.Text != visible.Text(s.Text) || utf8.RuneCountInString(s.Text) > mostSaid {
			return fault.New(fmt.Sprintf("said: point %d is none", i+1), "do not rely on it; get it again from whoever made it")
		}
	}
	return nil
}
