package web

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// npyOf is a matrix of n x n as NumPy writes it.
func npyOf(n int, values ...float64) []byte {
	header := fmt.Sprintf("{'descr': '<f8', 'fortran_order': False, 'shape': (%d, %d), }\n", n, n)
	text := append([]byte("\x93NUMPY\x01\x00"), byte(len(header)), 0)
	text = append(text, header...)
	for i := range n * n {
		x := 0.0
		if i < len(values) {
			x = values[i]
		}
		text = binary.LittleEndian.AppendUint64(text, math.Float64bits(x))
	}
	return text
}

func zipped(t testing.TB, files map[string][]byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, text := range files {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write(text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestArraysAreRead(t *testing.T) {
	text := zipped(t, map[string][]byte{"a.npy": npyOf(2, 0, 1, math.Inf(1), 3), "b.npy": npyOf(2)})
	all, err := readNPZ(bytes.NewReader(text), int64(len(text)), 1<<20)
	if err != nil || all.n != 2 || all.arrays["a"][3] != 3 || !math.IsInf(all.arrays["a"][2], 1) {
		t.Fatalf("%+v, %v", all, err)
	}
	for name, bad := range map[string][]byte{
		"of two sizes":  zipped(t, map[string][]byte{"a.npy": npyOf(2), "b.npy": npyOf(3)}),
		"no array":      zipped(t, map[string][]byte{"a.txt": npyOf(2)}),
		"cut short":     zipped(t, map[string][]byte{"a.npy": npyOf(2)[:100]}),
		"too large":     zipped(t, map[string][]byte{"a.npy": bytes.Replace(npyOf(2), []byte("(2, 2)"), []byte("(9999, 9999)"), 1)}),
		"not square":    zipped(t, map[string][]byte{"a.npy": bytes.Replace(npyOf(2), []byte("(2, 2)"), []byte("(2, 3)"), 1)}),
		"no archive":    []byte("PK"),
		"beyond limits": zipped(t, map[string][]byte{"a.npy": npyOf(400)}),
	} {
		if _, err := readNPZ(bytes.NewReader(bad), int64(len(bad)), 1<<20); err == nil {
			t.Errorf("%s: it was read", name)
		}
	}
}

// A small file has no arrays of gigabytes, and those of a run with two accountants fit.
func TestSmallArchivesHaveNoLargeArrays(t *testing.T) {
	n := 1024
	zeros := npyOf(n, make([]float64, n*n)...)
	text := zipped(t, map[string][]byte{"a.npy": zeros, "b.npy": zeros, "c.npy": zeros})
	size := int64(len(text))
	if _, err := readNPZ(bytes.NewReader(text), size, 8<<20*2); err == nil || !strings.Contains(err.Error(), "too many bytes") {
		t.Errorf("three arrays of 8 MiB within 16 MiB: %v", err)
	}
	if limit, full := arrayLimit(1<<20), int64(8*mostNodes*mostNodes); limit > 512<<20 || limit < 3*full || arrayLimit(1<<40) > 1<<30 {
		t.Errorf("a megabyte becomes up to %d", limit)
	}
}

// Whatever an archive holds, reading it ends with arrays that fit together or an error.
func FuzzArrays(f *testing.F) {
	f.Add(zipped(f, map[string][]byte{"a.npy": npyOf(2, 1, 2, 3, 4), "distance.npy": npyOf(2, 0, 1, 1, 0)}))
	f.Add([]byte("PK\x05\x06"))
	f.Fuzz(func(t *testing.T, text []byte) {
		all, err := readNPZ(bytes.NewReader(text), int64(len(text)), 1<<22)
		if err != nil {
			return
		}
		for name, at := range all.arrays {
			if len(at) != all.n*all.n {
				t.Fatalf("%q has %d numbers for %d nodes", name, len(at), all.n)
			}
		}
	})
}

// Whatever the files of a folder hold, the list and every question about it are answered,
// and with JSON.
func FuzzFolder(f *testing.F) {
	f.Add([]byte(`{"name":"x","algorithm":"walk","graph":{"nodes":2},"privacy":{"accountant":"path","status":"sound","mean":1,"max":2}}`), []byte("node,name\n0,a\n1,b\n"),
		[]byte(`{"columns":[{"name":"a","accountant":"path","status":"sound"}]}`), []byte("x,score\n1,2\n"))
	f.Add([]byte(`{"algorithm":"w","final":{"classification":{"classes":["a"],"confusion":[[1],[],[2,3]],"balanced_accuracy":1}},"baselines":{"alone":{}}}`), []byte(`"`), []byte(`[]`), []byte(``))
	f.Add([]byte(`{"algorithm":"w","curve":[null],"trials":[{"final":{}}],"privacy":{"nodes":{"each":[{"node":-5,"towards":99}]}}}`), []byte("\x00"), []byte(`{"columns":[{}]}`), []byte("\xff"))
	f.Fuzz(func(t *testing.T, result, nodes, columns, table []byte) {
		dir := t.TempDir()
		npz := zipped(t, map[string][]byte{"a.npy": npyOf(2, 0, 1, 2, 0), "distance.npy": npyOf(2, 0, 1, 1, 0)})
		for name, text := range map[string][]byte{"run/result.json": result, "run/nodes.csv": nodes, "run/privacy.json": columns, "run/privacy.npz": npz, "run/spec.yaml": result,
			"swept/sweep.csv": table, "cells/cells/x.json": result, "study/findings.json": result, "node/joined.json": result, ".going.progress.json": result} {
			path := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, text, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		s := New(Options{Dirs: []string{dir}, Now: time.Now})
		defer s.Close()
		handler := s.Handler()
		ask := func(path string) []byte {
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
			body, err := io.ReadAll(w.Body)
			if err != nil || w.Code >= 500 || w.Header().Get("Content-Type") == "application/json" && !json.Valid(body) {
				t.Fatalf("%s: %d %s", path, w.Code, body)
			}
			return body
		}
		ask("/api/list")
		for _, e := range s.entries {
			for _, kind := range []string{"run", "running", "sweep", "study", "node"} {
				ask("/api/" + kind + "/" + e.ID)
			}
			ask("/api/run/" + e.ID + "/pairs")
			ask("/api/run/" + e.ID + "/observer/1")
			ask("/api/compare?run=" + e.ID + "&run=" + e.ID)
		}
	})
}
