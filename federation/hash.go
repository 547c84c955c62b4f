package federation

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/hearsay-dp/hearsay/node/wire"
	"github.com/hearsay-dp/hearsay/spec"
)

// hashDomain sets this hash apart from any other of the same bytes.
const hashDomain = "hearsay federation, resolved spec, 1\n"

// digest is the hash of all that participants must agree on, and a short one
// of each field, so that two who differ can name it. Where the data lies is
// each participant's own business and not part of it, nor are the signatures, which are
// of it.
//
// The hash is SHA-256 of a line that names this format and, in the order of the
// paths, of each path, a zero byte, the value as JSON (keys sorted), and a
// newline.
func digest(s *spec.Spec) (hash [32]byte, fields []wire.Field, err error) {
	public := *s
	public.Data.Path, public.Signatures = "", nil
	plain, err := public.Plain()
	if err != nil {
		return hash, nil, err
	}
	values := map[string]any{}
	flatten(values, "", plain)
	text := bytes.NewBufferString(hashDomain)
	for _, path := range slices.Sorted(maps.Keys(values)) {
		value, err := json.Marshal(values[path])
		if err != nil {
			return hash, nil, err
		}
		fmt.Fprintf(text, "%s\x00%s\n", path, value)
		fields = append(fields, wire.Field{Path: path, Digest: fieldDigest(path, value)})
	}
	return sha256.Sum256(text.Bytes()), nameable(fields), nil
}

// HashOf is the hash of a resolved spec, as a node's folder has it.
func HashOf(s *spec.Spec) ([32]byte, error) {
	hash, _, err := digest(s)
	return hash, err
}

// flatten lists the leaves of nested maps by path. Participants are told apart
// by number and compared whole.
func flatten(into map[string]any, path string, value any) {
	switch v := value.(type) {
	case map[string]any:
		for key, below := range v {
			flatten(into, join(path, key), below)
		}
	case []any:
		if path != "participants" {
			into[path] = v
			return
		}
		for i, below := range v {
			into[fmt.Sprintf("participants[%d]", i)] = below
		}
	default:
		into[path] = v
	}
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

func fieldDigest(path string, value []byte) (d wire.Digest) {
	sum := sha256.Sum256(append(append([]byte(path), 0), value...))
	copy(d[:], sum[:])
	return d
}

// nameable is what a hello has room for: of what is too long or too much, the
// hash of everything still tells that there is a difference.
func nameable(fields []wire.Field) []wire.Field {
	fields = slices.DeleteFunc(fields, func(f wire.Field) bool { return len(f.Path) > wire.MaxPath })
	return fields[:min(len(fields), wire.MaxFields)]
}
