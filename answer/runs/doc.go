// Package runs plans and runs a spec, and predicts from the models that runs wrote.
package runs
