// Package tokens answers what a coalition makes of tokens that walk: whose contributions it finds, what it proves of privacy,
// and what would stop it.
package tokens
