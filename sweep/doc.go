// Package sweep runs one spec over a grid of settings. A cell is a combination of
// values of the varied keys, and is one run. Cells run in parallel. Each result is
// stored when its cell ends, and stored cells are not run again.
package sweep
