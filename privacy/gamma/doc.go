// Package gamma accounts for the Gamma mechanism of 004, which releases a positive number as a
// Gamma draw with that mean. It has the bound of Lemma 3 as printed, and the exact delta.
package gamma
