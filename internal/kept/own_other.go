//go:build !unix

package kept

// othersWrite cannot tell here: folders are taken for the user's own.
func othersWrite(string) string { return "" }
