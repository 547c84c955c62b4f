// Package tables answers what a data source or a graph holds, makes graphs, and downloads public data.
package tables
