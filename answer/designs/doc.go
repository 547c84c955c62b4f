// Package designs answers what a consortium should run: `hearsay design`.
package designs
