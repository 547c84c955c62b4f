//go:build race

package report

// raceDetector makes everything about ten times slower.
const raceDetector = true
