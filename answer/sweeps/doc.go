// Package sweeps runs a spec over a grid of settings, here or by a queue of workers, puts finished runs side by side, and has
// pairs priced by workers.
package sweeps
