// Package tables describes data sources and graphs, makes graphs, downloads public data, and lists the kinds of algorithms.
package tables
