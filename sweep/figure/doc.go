// Package figure draws the curves of a sweep as papers print them, PDF, SVG or PGF, and writes them as a table: a row a point for other
// programs, or LaTeX.
package figure
