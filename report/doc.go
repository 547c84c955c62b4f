// Package report writes the output of a finished run: result.json, CSV tables,
// NumPy arrays, the model, the resolved spec, a short table for the terminal,
// and report.html, a self-contained page.
//
// It recomputes nothing. Every privacy number comes from an accountant and is
// printed with that accountant's name and Status. Shortened numbers are rounded
// to the side on which they stay true: an upper bound up, a lower bound (Audit)
// down.
//
// WriteDir writes a whole output directory or none of it. Table writes the
// terminal summary, and Page the HTML page alone. Charts are SVG of our own. The
// page's script (page/*.js) only looks up numbers and draws them.
package report
