package fetch

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hearsay-dp/hearsay/dataset"
	"github.com/hearsay-dp/hearsay/fault"
)

// body is a file with no repetition that a shifted resume could hide in.
func body(n int) []byte {
	b := make([]byte, n)
	state := uint32(1)
	for i := range b {
		state = state*1664525 + 1013904223
		b[i] = byte(state >> 24)
	}
	return b
}

func known(b []byte) dataset.KnownFile {
	sum := sha256.Sum256(b)
	return dataset.KnownFile{Name: "a.bin", Bytes: int64(len(b)), SHA256: hex.EncodeToString(sum[:])}
}

func quick() *Fetcher {
	return &Fetcher{Client: &http.Client{}, Attempts: 3, Pause: time.Millisecond, Idle: 10 * time.Second}
}

// serve is a server whose answer may differ from request to request.
func serve(t *testing.T, answer func(request int, w http.ResponseWriter, r *http.Request)) (url string, requests *atomic.Int32) {
	t.Helper()
	requests = new(atomic.Int32)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer(int(requests.Add(1)), w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL + "/a.bin", requests
}

// whole serves b and honours Range.
func whole(b []byte, w http.ResponseWriter, r *http.Request) {
	http.ServeContent(w, r, "a.bin", time.Time{}, bytes.NewReader(b))
}

// cut promises all of b and breaks the connection after n bytes of it.
func cut(b []byte, n int, w http.ResponseWriter) {
	w.Header().Set("Content-Length", fmt.Sprint(len(b)))
	_, _ = w.Write(b[:n])
	if err := http.NewResponseController(w).Flush(); err != nil {
		panic(err)
	}
	panic(http.ErrAbortHandler)
}

// expectWhole checks the file and that nothing else is in its folder.
func expectWhole(t *testing.T, path string, b []byte) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(got, b) {
		t.Fatalf("the file has %d bytes, want %d identical ones (%v)", len(got), len(b), err)
	}
	if entries, _ := os.ReadDir(filepath.Dir(path)); len(entries) != 1 {
		t.Errorf("the folder holds %v besides the file", entries)
	}
}

// expectNothing checks the error and that no file has the final name.
func expectNothing(t *testing.T, err error, path, what string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), what) || strings.Contains(err.Error(), "\n") || fault.Hint(err) == "" {
		t.Errorf("error %v (hint %q), want one line with %q", err, fault.Hint(err), what)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s exists after a failure (%v)", path, err)
	}
	if info, err := os.Stat(path + ".part"); err == nil && info.Size() == 0 {
		t.Error("an empty part was left behind")
	}
}

func TestDownload(t *testing.T) {
	b := body(300_000)
	url, requests := serve(t, func(_ int, w http.ResponseWriter, r *http.Request) { whole(b, w, r) })
	path := filepath.Join(t.TempDir(), "sub", "a.bin")
	var last int64
	f := quick()
	f.Progress = func(_ string, done, total int64) {
		if done < last || total != int64(len(b)) {
			t.Errorf("progress %d of %d after %d", done, total, last)
		}
		last = done
	}
	for range 2 { // the second time it is already there
		if err := f.File(t.Context(), url, path, known(b)); err != nil {
			t.Fatal(err)
		}
		expectWhole(t, path, b)
	}
	if last != int64(len(b)) || requests.Load() != 1 {
		t.Errorf("progress ended at %d after %d requests", last, requests.Load())
	}
}

func TestResumesAfterACut(t *testing.T) {
	b := body(300_000)
	var ranges []string
	url, _ := serve(t, func(request int, w http.ResponseWriter, r *http.Request) {
		if request == 1 {
			cut(b, 100_000, w)
		}
		ranges = append(ranges, r.Header.Get("Range"))
		whole(b, w, r)
	})
	path := filepath.Join(t.TempDir(), "a.bin")
	if err := quick().File(t.Context(), url, path, known(b)); err != nil {
		t.Fatal(err)
	}
	expectWhole(t, path, b)
	if len(ranges) != 1 || ranges[0] != "bytes=100000-" {
		t.Errorf("asked for the ranges %q after the cut", ranges)
	}
}

func TestResumesAcrossRuns(t *testing.T) {
	b := body(300_000)
	url, _ := serve(t, func(request int, w http.ResponseWriter, r *http.Request) {
		if request <= 3 {
			cut(b[:], 50_000, w) // honours no Range: every try starts over
		}
		whole(b, w, r)
	})
	path := filepath.Join(t.TempDir(), "a.bin")
	err := quick().File(t.Context(), url, path, known(b))
	expectNothing(t, err, path, "at byte 50000 of 300000, after 3 attempts")
	if n := size(path + ".part"); n != 50_000 {
		t.Fatalf("the part has %d bytes", n)
	}
	if err := quick().File(t.Context(), url, path, known(b)); err != nil {
		t.Fatal(err)
	}
	expectWhole(t, path, b)
}

func TestServerThatIgnoresRange(t *testing.T) {
	b := body(300_000)
	url, _ := serve(t, func(request int, w http.ResponseWriter, _ *http.Request) {
		if request == 1 {
			cut(b, 100_000, w)
		}
		w.Header().Set("Content-Length", fmt.Sprint(len(b)))
		_, _ = w.Write(b)
	})
	path := filepath.Join(t.TempDir(), "a.bin")
	if err := quick().File(t.Context(), url, path, known(b)); err != nil {
		t.Fatal(err)
	}
	expectWhole(t, path, b)
}

func TestServerThatResumesElsewhere(t *testing.T) {
	b := body(300_000)
	url, _ := serve(t, func(request int, w http.ResponseWriter, r *http.Request) {
		switch request {
		case 1:
			cut(b, 100_000, w)
		case 2:
			w.Header().Set("Content-Range", "bytes 7-299999/300000")
			w.WriteHeader(http.StatusPartialContent)
			_, _ = w.Write(b[7:])
		default:
			whole(b, w, r)
		}
	})
	path := filepath.Join(t.TempDir(), "a.bin")
	if err := quick().File(t.Context(), url, path, known(b)); err != nil {
		t.Fatal(err)
	}
	expectWhole(t, path, b)
}

func TestForeignPartIsReplaced(t *testing.T) {
	b := body(300_000)
	url, _ := serve(t, func(_ int, w http.ResponseWriter, r *http.Request) { whole(b, w, r) })
	for _, part := range [][]byte{make([]byte, 1000), make([]byte, len(b)), make([]byte, len(b)+5)} {
		path := filepath.Join(t.TempDir(), "a.bin")
		if err := os.WriteFile(path+".part", part, 0o666); err != nil {
			t.Fatal(err)
		}
		if err := quick().File(t.Context(), url, path, known(b)); err != nil {
			t.Fatalf("part of %d bytes: %v", len(part), err)
		}
		expectWhole(t, path, b)
	}
}

func TestRefusals(t *testing.T) {
	b := body(10_000)
	other := bytes.Clone(b)
	other[77] ^= 1
	for name, c := range map[string]struct {
		answer   func(w http.ResponseWriter, r *http.Request)
		what     string
		requests int32
	}{
		"absent":     {func(w http.ResponseWriter, r *http.Request) { http.NotFound(w, r) }, "404 Not Found", 1},
		"forbidden":  {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(403) }, "403 Forbidden", 1},
		"overloaded": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) }, "503 Service Unavailable", 3},
		"changed":    {func(w http.ResponseWriter, r *http.Request) { whole(other, w, r) }, "wrong checksum", 1},
		"other size": {func(w http.ResponseWriter, r *http.Request) { whole(b[1:], w, r) }, "has 9999 bytes", 1},
		"endless": {func(w http.ResponseWriter, _ *http.Request) {
			for range 10 {
				_, _ = w.Write(b)
			}
		}, "more than the 10000 bytes", 1},
		"short": {func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write(b[:9000])
			_ = http.NewResponseController(w).Flush()
		}, "the connection was cut", 3},
	} {
		t.Run(name, func(t *testing.T) {
			url, requests := serve(t, func(_ int, w http.ResponseWriter, r *http.Request) { c.answer(w, r) })
			path := filepath.Join(t.TempDir(), "a.bin")
			expectNothing(t, quick().File(t.Context(), url, path, known(b)), path, c.what)
			if requests.Load() != c.requests {
				t.Errorf("%d requests, want %d", requests.Load(), c.requests)
			}
		})
	}
}

func TestSilentServerIsGivenUp(t *testing.T) {
	release := make(chan struct{})
	url, _ := serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("x"))
		_ = http.NewResponseController(w).Flush()
		<-release
	})
	defer close(release)
	f := quick()
	f.Attempts, f.Idle = 1, 20*time.Millisecond
	path := filepath.Join(t.TempDir(), "a.bin")
	expectNothing(t, f.File(t.Context(), url, path, known(body(100))), path, "the server was silent for 20ms")
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	release := make(chan struct{})
	url, _ := serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("x"))
		_ = http.NewResponseController(w).Flush()
		cancel()
		<-release
	})
	defer close(release)
	path := filepath.Join(t.TempDir(), "a.bin")
	expectNothing(t, quick().File(ctx, url, path, known(body(100))), path, "interrupted")
}

func TestNoSpace(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skipf("SKIPPED: this system has no device that is always full: %v", err)
	}
	defer full.Close()
	b := body(1000)
	err = receive(full, bytes.NewReader(b), 0, known(b), func(int64) {})
	if err == nil || !strings.Contains(err.Error(), "no space left") || !strings.Contains(fault.Hint(err), "1000 bytes") {
		t.Errorf("error %v, hint %q", err, fault.Hint(err))
	}
}

func TestOtherFileIsLeftAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.bin")
	if err := os.WriteFile(path, []byte("mine"), 0o666); err != nil {
		t.Fatal(err)
	}
	err := quick().File(t.Context(), "http://127.0.0.1:1/a.bin", path, known(body(10)))
	if err == nil || !strings.Contains(err.Error(), "is not the published file") {
		t.Errorf("error %v", err)
	}
	if got, _ := os.ReadFile(path); string(got) != "mine" {
		t.Errorf("the file became %q", got)
	}
}

func TestUnreachableAndNonsenseAddresses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.bin")
	for url, what := range map[string]string{
		"http://127.0.0.1:1/a.bin": "connection refused", "ftp://x/a.bin": "no address", "://": "no address", "/etc/passwd": "no address",
	} {
		expectNothing(t, quick().File(t.Context(), url, path, known(body(10))), path, what)
	}
}
