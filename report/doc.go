// Package report turns a finished run into what people and programs read:
// result.json, CSV tables, NumPy arrays, the model, the resolved spec, a short
// table for the terminal, and report.html, one self-contained page.
//
// It recomputes nothing: every privacy number comes from an accountant and is
// printed with that accountant's name and Status. Where a number has to be
// shortened it is rounded to the side on which it stays true: an upper bound
// up, a lower bound (Audit) down.
//
// WriteDir writes a whole output directory or none of it; Table writes the
// terminal summary; Page writes the HTML page alone. Charts are SVG
// of our own; the page's own script (page/*.js) only looks numbers up and paints
// them.
package report
