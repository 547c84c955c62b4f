// Package tables answers what a data source or a graph holds, makes graphs, downloads public data, and lists the kinds of algorithms.
package tables
