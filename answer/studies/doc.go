// Package studies runs figures and tables of the papers, several side by side, and keeps what they came to.
package studies
