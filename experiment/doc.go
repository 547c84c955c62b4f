// Package experiment turns a spec into a plan or a result: it loads data and
// graph, sets the noise, drives the trials and hands everything to report. It
// is the one place where the rooms meet; each step is a function of its own.
package experiment
