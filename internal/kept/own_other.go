//go:build !unix

package kept

// othersWrite returns "": on this system it cannot tell, and folders count as the user's own.
func othersWrite(string) string { return "" }
