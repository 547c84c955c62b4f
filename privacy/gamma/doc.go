// Package gamma accounts for the Gamma mechanism of 004, which releases a
// positive number as a Gamma draw of that mean: Lemma 3 as printed, and the
// exact delta.
package gamma
