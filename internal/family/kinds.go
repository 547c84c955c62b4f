package family

import "github.com/hearsay-dp/hearsay/spec"

// Kinds are those of some families.
func Kinds(families ...Family) (kinds spec.Kinds) {
	for _, f := range families {
		kinds = append(kinds, f.Kinds()...)
	}
	return kinds
}

// Of is the family of a spec's algorithm.
func Of(s *spec.Spec) Family { return s.Kind().Family.(Family) }
