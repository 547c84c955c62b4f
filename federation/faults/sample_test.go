package faults

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hearsay-dp/hearsay/federation"
)

// A sample is what a running node has taken, at one time.
type sample struct {
	releases, commits float64 // since its start
	resident, own     float64 // bytes in memory; without those of the program's file
	handles, threads  float64
	ledger            float64 // bytes of the database
	log               float64 // bytes of the database's log, which is written over again and again
	processor         float64 // seconds since its start
}

// quantities are what a line about samples says.
var quantities = []struct {
	name string
	unit float64
	of   func(s sample) float64
}{
	{"releases", 1, func(s sample) float64 { return s.releases }},
	{"commits", 1, func(s sample) float64 { return s.commits }},
	{"resident MB", 1e6, func(s sample) float64 { return s.resident }},
	{"own MB", 1e6, func(s sample) float64 { return s.own }},
	{"handles", 1, func(s sample) float64 { return s.handles }},
	{"threads", 1, func(s sample) float64 { return s.threads }},
	{"ledger KB", 1e3, func(s sample) float64 { return s.ledger }},
	{"its log KB", 1e3, func(s sample) float64 { return s.log }},
	{"processor s", 1, func(s sample) float64 { return s.processor }},
}

// sample looks at a running node; an error where it does not answer.
func (w *world) sample(p *process) (s sample, err error) {
	counters, err := w.metrics(p.i)
	if err != nil {
		return s, err
	}
	proc := fmt.Sprintf("/proc/%d/", p.cmd.Process.Pid)
	database := filepath.Join(w.folder(p.i), federation.LedgerFile)
	s = sample{
		releases: counters["hearsay_releases_total"], commits: counters["hearsay_commits_total"],
		resident: float64(field(proc+"status", "VmRSS:")), own: float64(field(proc+"status", "RssAnon:")), handles: entries(proc + "fd"), threads: entries(proc + "task"),
		ledger: size(database), log: size(database + "-wal"), processor: processor(proc + "stat"),
	}
	if s.resident == 0 {
		return s, fmt.Errorf("%s has ended", p.name)
	}
	return s, nil
}

// entries is how many a folder has, 0 if it is not there.
func entries(folder string) float64 {
	all, _ := os.ReadDir(folder)
	return float64(len(all))
}

// size is that of a file in bytes, 0 if it is not there.
func size(path string) float64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return float64(info.Size())
}

// processor is the time that /proc/PID/stat says a process has had, in seconds, 0 if it is
// not there. Linux counts hundredths there.
func processor(path string) (seconds float64) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(text), ") ") // what stands before may hold anything
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		return 0
	}
	for _, ticks := range fields[11:13] { // utime, stime
		n, err := strconv.ParseFloat(ticks, 64)
		if err != nil {
			return 0
		}
		seconds += n / 100
	}
	return seconds
}

// A row is a look at all nodes at one time.
type row []sample

// spread is the least of a quantity, that of the node in the middle, and the most.
func (r row) spread(of func(s sample) float64) (least, middle, most float64) {
	var xs []float64
	for _, s := range r {
		xs = append(xs, of(s))
	}
	slices.Sort(xs)
	return xs[0], xs[len(xs)/2], xs[len(xs)-1]
}

// String is the least, the middle and the most of all quantities.
func (r row) String() string {
	var line []string
	for _, q := range quantities {
		least, middle, most := r.spread(q.of)
		line = append(line, fmt.Sprintf("%s %.3g %.3g %.3g", q.name, least/q.unit, middle/q.unit, most/q.unit))
	}
	return strings.Join(line, ", ")
}

// look is a look at all nodes; an error where one does not answer, not yet or no more.
func (w *world) look(all []*process) (r row, err error) {
	for _, p := range all {
		s, err := w.sample(p)
		if err != nil {
			return nil, err
		}
		r = append(r, s)
	}
	return r, nil
}

// watch looks at all nodes until the last has ended, so often.
func (w *world) watch(all []*process, pause time.Duration) (rows []row) {
	began := time.Now()
	ticks := time.NewTicker(pause)
	defer ticks.Stop()
	for !w.over() {
		if r, err := w.look(all); err == nil {
			rows = append(rows, r)
			w.t.Logf("%v: %v", time.Since(began).Round(time.Second), r)
		}
		<-ticks.C
	}
	return rows
}
