// Package form holds what the packages of answers share: how a claim, a loss and a number are written, where an answer
// goes, and where accountants keep what they found.
package form
