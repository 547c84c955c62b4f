// Package fetch downloads the public files that dataset knows by checksum.
//
// A file appears under its name only when it is complete and its SHA-256 is
// right; until then its bytes wait in NAME.part, from which a later download
// goes on. This is the only part of dataset that uses the network.
package fetch
