package yamltext

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/token"

	"github.com/hearsay-dp/hearsay/internal/math"
)

// Pairs are keys and values in their order, as Document.Pairs returns them and Marshal
// writes them. Keys are strings.
type (
	Pairs = yaml.MapSlice
	Pair  = yaml.MapItem
)

// A Scalar is the source text of a number or a truth value, which Marshal writes as it is.
type Scalar string

// MarshalYAML returns the text.
func (s Scalar) MarshalYAML() ([]byte, error) { return []byte(s), nil }

// ordered returns a value as Pairs, lists, texts and Scalars; nil for null.
func (n *Node) ordered() any {
	switch n.Kind {
	case Null:
		return nil
	case Text:
		return n.Text
	case List:
		list := make([]any, len(n.Items))
		for i, item := range n.Items {
			list[i] = item.ordered()
		}
		return list
	case Mapping:
		pairs := make(Pairs, 0, len(n.Keys))
		for _, key := range n.Keys {
			pairs = append(pairs, Pair{Key: key.Name, Value: key.Value.ordered()})
		}
		return pairs
	}
	return Scalar(n.Text)
}

// Marshal writes a value as YAML, structs by their yaml tags. All YAML readers read its numbers as numbers. It quotes a text
// that could be read as anything else.
func Marshal(v any) ([]byte, error) {
	node, err := yaml.ValueToNode(v, yaml.CustomMarshaler[float64](func(x float64) ([]byte, error) {
		return []byte(decimal(x)), nil
	}))
	if err != nil {
		return nil, err
	}
	ast.Walk(requoting{}, node)
	return []byte(node.String() + "\n"), nil
}

// requoting quotes texts that go-yaml would write so that they read back differently.
type requoting struct{}

// Visit implements ast.Visitor.
func (r requoting) Visit(n ast.Node) ast.Visitor {
	node, is := n.(*ast.StringNode)
	if !is || isWord(node.Value) {
		return r
	}
	text := node.Value
	if plain, err := strconv.Unquote(text); err == nil && strings.HasPrefix(text, `"`) {
		text = plain // it has been quoted already
	}
	as := node.String()
	read, err := root([]byte(as + ":\n- " + as + "\n"))
	if err != nil || read == nil || strings.ContainsFunc(as, notPrinting) || !reflect.DeepEqual(read.plain(), map[string]any{text: []any{text}}) {
		node.Value = quoted(text)
	}
	return r
}

// decimal writes x with all its digits, in a form that is a number also for readers that take 1e-06 for text.
func decimal(x float64) string {
	switch {
	case math.IsInf(x, 1):
		return ".inf"
	case math.IsInf(x, -1):
		return "-.inf"
	case math.IsNaN(x):
		return ".nan"
	}
	text := strconv.FormatFloat(x, 'g', -1, 64)
	if mantissa, exponent, found := strings.Cut(text, "e"); found && !strings.Contains(mantissa, ".") {
		return mantissa + ".0e" + exponent
	}
	return text
}

func notPrinting(r rune) bool { return !unicode.IsPrint(r) }

// Flow writes a value on one line, such as {a: [1, "12,300"]}, for hints. It takes
// string, int, float64, []string, Pairs, and maps from string to these in the order of
// their keys.
func Flow(v any) string {
	switch v := v.(type) {
	case string:
		return Quote(v)
	case int:
		return strconv.Itoa(v)
	case float64:
		return decimal(v)
	case []string:
		items := make([]string, len(v))
		for i, item := range v {
			items[i] = Quote(item)
		}
		return "[" + strings.Join(items, ", ") + "]"
	case Pairs:
		items := make([]string, len(v))
		for i, item := range v {
			items[i] = Quote(item.Key.(string)) + ": " + Flow(item.Value)
		}
		return "{" + strings.Join(items, ", ") + "}"
	}
	panic(fmt.Sprintf("yamltext: no value of type %T is written on one line", v))
}

// Quote writes a text as a scalar of one line that every YAML reader reads as that text. It is a plain word without quotes if
// possible, else in double quotes.
func Quote(text string) string {
	if isWord(text) {
		return text
	}
	return quoted(text)
}

// quoted writes a text in double quotes, as JSON does.
func quoted(text string) string {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(text); err != nil {
		panic("yamltext: " + err.Error()) // a text has no value that JSON lacks
	}
	return strings.TrimSuffix(out.String(), "\n")
}

// words lists words that some YAML readers do not read as text.
var words = []string{"y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf"}

// isWord reports whether a text stands for itself without quotes.
func isWord(text string) bool {
	if text == "" || strings.Trim(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-. ") != "" ||
		strings.Trim(text[:1], "0123456789-. ") == "" || strings.HasSuffix(text, " ") || slices.Contains(words, strings.ToLower(text)) {
		return false
	}
	tokens := lexer.Tokenize(text)
	return len(tokens) == 1 && tokens[0].Type == token.StringType && tokens[0].Value == text
}
