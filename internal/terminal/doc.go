// Package terminal writes a command's messages while it works: lines that stay, lines that are overwritten, a sign of life
// whenever a command has been silent for two seconds, and lists of names. It escapes control characters in names and texts of
// others.
package terminal
