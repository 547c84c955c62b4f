// Package terminal writes what a command says while it works: lines that stay, lines that are drawn anew, a sign of life
// whenever a command has been silent for two seconds, and lists of names. It escapes what names and texts of others would
// tell a terminal to do.
package terminal
