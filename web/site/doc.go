// Package site renders the documentation of the repository as a site: its Markdown pages, example
// files and pictures become HTML with navigation, an outline and a search, and no request to another
// host. A Site is served by a handler or written to a folder. Both have the same files with relative
// links, so that a written site opens from a disk.
//
// # Trust
//
// The text is part of the program. Raw HTML in it is left out all the same, and styles and scripts
// are files, so that the Content-Security-Policy of package web holds.
package site
