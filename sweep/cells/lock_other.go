//go:build !unix

package cells

// lock does nothing: without file locks, each process fetches its own data.
func lock(string) (unlock func(), err error) { return func() {}, nil }
