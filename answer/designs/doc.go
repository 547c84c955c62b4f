// Package designs answers `hearsay design`: which run a consortium should choose.
package designs
