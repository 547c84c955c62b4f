// Package calibration answers how little noise meets a target: of each accountant that prices a spec.
package calibration
