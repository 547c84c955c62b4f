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

// hashDomain separates this hash from other hashes of the same bytes.
const hashDomain = "hearsay federation, resolved spec, 1\n"

// digest returns the hash of everything on which participants must agree. It also returns a short
// hash of each field, so that two participants who differ can name the field. The hash omits the
// path of the data, which each participant chooses, and the signatures, which sign this hash.
//
// The hash is SHA-256 of a line that names this format, followed by each path in sorted order. Each
// path is followed by a zero byte, the value as JSON (keys sorted), and a newline.
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

// HashOf returns the hash of a resolved spec, as stored in a node's folder.
func HashOf(s *spec.Spec) ([32]byte, error) {
	hash, _, err := digest(s)
	return hash, err
}

// flatten stores the leaves of nested maps in into, by path. Each participant is one leaf, with its
// number in the path.
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

// nameable returns the fields that fit into a hello. A difference in another field still changes
// the hash of the whole spec.
func nameable(fields []wire.Field) []wire.Field {
	fields = slices.DeleteFunc(fields, func(f wire.Field) bool { return len(f.Path) > wire.MaxPath })
	return fields[:min(len(fields), wire.MaxFields)]
}
