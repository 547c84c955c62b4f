package web

import (
	"path"
	"slices"
	"sync"

	"github.com/hearsay-dp/hearsay/sweep"
)

// cells caches the rows of cells, so that a running sweep is not read from the start each
// time. A cell's file is written only once.
type cells struct {
	mu    sync.Mutex
	known map[cellKey]cell
}

type cellKey struct {
	folder string
	name   string
}

type cell struct {
	mark stamp
	keys []string
	row  sweep.Row
	err  error
}

// mostRemembered is the largest number of cached cells.
const mostRemembered = 100_000

// rows returns the rows of the cells of a sweep that can be read and have the same keys as the
// first.
func (c *cells) rows(b below, names []string) (keys []string, rows []sweep.Row) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known == nil || len(c.known) > mostRemembered {
		c.known = map[cellKey]cell{}
	}
	folder := below{b.place, path.Join(b.path, "cells")}
	for _, name := range names {
		one := c.one(folder, name)
		switch {
		case one.err != nil:
		case keys == nil || slices.Equal(keys, one.keys):
			keys = one.keys
			one.row.Cell = sweep.Cell{Number: len(rows), Values: one.row.Values}
			rows = append(rows, one.row)
		}
	}
	return keys, rows
}

func (c *cells) one(folder below, name string) cell {
	key := cellKey{folder.at(""), name}
	mark, _ := folder.stampOf(name)
	if old, ok := c.known[key]; ok && old.mark == mark {
		return old
	}
	one := cell{mark: mark}
	text, err := folder.read(name, mostCell)
	if err == nil {
		one.keys, one.row, err = sweep.ReadCell(text)
	}
	one.err = err
	c.known[key] = one
	return one
}
