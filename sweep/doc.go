// Package sweep runs one spec over a grid of settings: every combination of values that
// some of its keys are to take is a cell, a run of its own. Cells are run side by side,
// each is kept when it ends, and those that are kept are not run again.
package sweep
