package yamltext

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/hearsay-dp/hearsay/internal/math"
)

// An unmarshaler reads itself from the value that unmarshal fills in. Its errors are passed on unchanged.
type unmarshaler interface {
	UnmarshalYAML(unmarshal func(any) error) error
}

// A decoder fills in Go values.
type decoder struct{ strict bool }

const typeHint = "check the indentation and the value's type"

// mistyped returns an error at n.
func (n *Node) mistyped(what, hint string) error {
	return &at{line: n.Line, column: n.Column, what: what, hint: hint}
}

// expected returns the error of a value of another kind than wanted.
func (n *Node) expected(wanted Kind) error {
	return n.mistyped(fmt.Sprintf("%s was used where %s is expected", n.Kind, wanted), typeHint)
}

// value fills in dst, which must be settable. path names it in errors. It leaves dst as it is for null.
func (d decoder) value(dst reflect.Value, n *Node, path string) error {
	if own, is := dst.Addr().Interface().(unmarshaler); is && n.Kind != Null {
		return own.UnmarshalYAML(func(v any) error { return d.value(reflect.ValueOf(v).Elem(), n, path) })
	}
	switch dst.Kind() {
	case reflect.Pointer:
		return d.pointer(dst, n, path)
	case reflect.Interface:
		if plain := n.plain(); plain != nil {
			dst.Set(reflect.ValueOf(plain))
		} else {
			dst.SetZero()
		}
		return nil
	}
	if n.Kind == Null {
		return nil
	}
	if length, is := dst.Addr().Interface().(*time.Duration); is {
		var err error
		if *length, err = time.ParseDuration(n.Text); err != nil {
			return n.isNot("a length of time, such as 30s or 48h")
		}
		return nil
	}
	switch dst.Kind() {
	case reflect.Struct:
		return d.structure(dst, n, path)
	case reflect.Map:
		return d.mapping(dst, n, path)
	case reflect.Slice:
		return d.list(dst, n, path)
	case reflect.String:
		return n.text(dst)
	case reflect.Bool:
		if n.Kind != Bool {
			return n.isNot("true or false")
		}
		dst.SetBool(n.Value.(bool))
		return nil
	case reflect.Float64:
		x, is := n.number()
		if !is {
			return n.isNot("a number")
		}
		dst.SetFloat(x)
		return nil
	case reflect.Int, reflect.Int64, reflect.Uint64:
		return n.whole(dst, path)
	}
	panic(fmt.Sprintf("yamltext: no value is read into %s", dst.Type()))
}

// pointer replaces dst by a new pointer to a copy of its present value, filled in.
func (d decoder) pointer(dst reflect.Value, n *Node, path string) error {
	if n.Kind == Null {
		dst.SetZero()
		return nil
	}
	made := reflect.New(dst.Type().Elem())
	if !dst.IsNil() {
		made.Elem().Set(dst.Elem())
	}
	if err := d.value(made.Elem(), n, path); err != nil {
		return err
	}
	dst.Set(made)
	return nil
}

// structure fills in the fields that have the names of keys. A field without a name in its tag has its Go name in lower case.
func (d decoder) structure(dst reflect.Value, n *Node, path string) error {
	if n.Kind != Mapping {
		return n.expected(Mapping)
	}
	fields := map[string]int{}
	for i := range dst.NumField() {
		field := dst.Type().Field(i)
		name, option, _ := strings.Cut(field.Tag.Get("yaml"), ",")
		if name == "" {
			name = strings.ToLower(field.Name)
		}
		if name != "-" && option != "inline" && field.IsExported() {
			fields[name] = i
		}
	}
	for _, key := range n.Keys {
		i, known := fields[key.Name]
		switch {
		case known:
			if err := d.value(dst.Field(i), key.Value, path+key.Name+"."); err != nil {
				return err
			}
		case d.strict:
			return &at{line: key.Line, column: key.Column, what: fmt.Sprintf("unknown field %q", key.Name), hint: "remove it", unknown: key.Name}
		}
	}
	return nil
}

// mapping fills in a map, whose keys are text.
func (d decoder) mapping(dst reflect.Value, n *Node, path string) error {
	if n.Kind != Mapping {
		return n.expected(Mapping)
	}
	made := reflect.MakeMapWithSize(dst.Type(), len(n.Keys))
	for _, key := range n.Keys {
		value := reflect.New(dst.Type().Elem()).Elem()
		if err := d.given(value, key.Value, path+key.Name); err != nil {
			return err
		}
		made.SetMapIndex(reflect.ValueOf(key.Name).Convert(dst.Type().Key()), value)
	}
	dst.Set(made)
	return nil
}

// list fills in a slice.
func (d decoder) list(dst reflect.Value, n *Node, path string) error {
	if n.Kind != List {
		return n.expected(List)
	}
	made := reflect.MakeSlice(dst.Type(), len(n.Items), len(n.Items))
	for i, item := range n.Items {
		if err := d.given(made.Index(i), item, path+strconv.Itoa(i)); err != nil {
			return err
		}
	}
	dst.Set(made)
	return nil
}

// given fills in a value of a list or of a map, which must not be missing. A written null is a word where texts are wanted.
func (d decoder) given(dst reflect.Value, n *Node, path string) error {
	switch {
	case n.Kind != Null || dst.Kind() == reflect.Interface:
	case dst.Kind() == reflect.String && n.Text != "":
		dst.SetString(n.Text)
		return nil
	default:
		return n.mistyped(path+" has no value", `take it out, or write "" for an empty text`)
	}
	return d.value(dst, n, path+".")
}

// text fills in a string with the source text of a scalar.
func (n *Node) text(dst reflect.Value) error {
	if n.Kind == List || n.Kind == Mapping {
		return n.mistyped(fmt.Sprintf("%s was used where %s is expected", n.Kind, Text), "give one word, a number or a text in quotes")
	}
	dst.SetString(n.Text)
	return nil
}

// number returns the number of a scalar. It accepts a text that is a number too, because YAML reads 1e-3 as text.
func (n *Node) number() (x float64, is bool) {
	switch v := n.Value.(type) {
	case int64:
		return float64(v), true
	case uint64:
		return float64(v), true
	case float64:
		return v, true
	case string:
		x, err := strconv.ParseFloat(v, 64)
		return x, err == nil
	}
	return 0, false
}

// whole fills in a whole number.
func (n *Node) whole(dst reflect.Value, path string) error {
	if v, is := n.Value.(int64); is && v < 0 {
		if dst.CanInt() && !dst.OverflowInt(v) {
			dst.SetInt(v)
			return nil
		}
		return n.outOfRange()
	}
	v, is := n.Value.(uint64)
	if !is {
		x, number := n.number()
		switch {
		case !number:
			return n.isNot("a whole number")
		case math.IsNaN(x) || math.Abs(x) >= 1<<63:
			return n.outOfRange()
		case x != math.Trunc(x):
			return n.mistyped(fmt.Sprintf("%s: %s is not a whole number", strings.TrimSuffix(path, "."), n.Text), fmt.Sprintf("give %.0f or %.0f", math.Floor(x), math.Ceil(x)))
		case dst.CanInt():
			dst.SetInt(int64(x))
			return nil
		case x < 0:
			return n.outOfRange()
		}
		v = uint64(x)
	}
	switch {
	case dst.CanUint():
		dst.SetUint(v)
	case v > math.MaxInt64:
		return n.outOfRange()
	default:
		dst.SetInt(int64(v))
	}
	return nil
}

func (n *Node) outOfRange() error {
	return n.mistyped(n.Text+" is out of range", "give a whole number from 0 to about 10^18")
}

// isNot returns the error of a scalar of another type.
func (n *Node) isNot(wanted string) error {
	if n.Kind == List || n.Kind == Mapping {
		return n.mistyped(fmt.Sprintf("%s was used where %s is expected", n.Kind, wanted), typeHint)
	}
	line, _, _ := strings.Cut(n.Text, "\n")
	return n.mistyped(fmt.Sprintf("%q is not %s", line, wanted), typeHint)
}

// plain returns a value as maps from text, lists and scalars.
func (n *Node) plain() any {
	switch n.Kind {
	case List:
		list := make([]any, len(n.Items))
		for i, item := range n.Items {
			list[i] = item.plain()
		}
		return list
	case Mapping:
		keys := make(map[string]any, len(n.Keys))
		for _, key := range n.Keys {
			keys[key.Name] = key.Value.plain()
		}
		return keys
	}
	return n.Value
}

// place finds the place of an error in a text.
func place(err error) (where *at, is bool) {
	is = errors.As(err, &where)
	return where, is
}
