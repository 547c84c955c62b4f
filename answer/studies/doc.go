// Package studies runs figures and tables of the papers, several in parallel, and stores their results.
package studies
