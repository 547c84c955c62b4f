// Package figure draws the curves of a sweep for papers, as PDF, SVG or PGF. It also writes them as a table, with a row
// a point for other programs, or in LaTeX.
package figure
