// Package audit computes lower bounds of a privacy loss from the runs of any algorithm, by an
// attack on them. Its input is scores; it needs no accountant. The audits of an accountant's own
// view are in privacy/walkpath and privacy/gossipview.
package audit
