// Package calibration finds the least noise at which each accountant of a spec meets a target.
package calibration
