// Package sweeps runs a spec over a grid of settings, locally or through a queue of workers. It also compares finished
// runs, and prices pairs through workers.
package sweeps
