package fetch

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/dataset"
	"github.com/hearsay-dp/hearsay/internal/testdata"
)

func TestLocate(t *testing.T) {
	set := dataset.KnownSet{Files: []dataset.KnownFile{{Name: "a9a"}, {Name: "a9a.t"}}}
	for base, want := range map[string]string{
		"http://h/d":       "http://h/d/a9a.t",
		"http://h/d/":      "http://h/d/a9a.t",
		"http://h/d/a9a":   "http://h/d/a9a.t",
		"http://h/d/a9a.t": "http://h/d/a9a.t",
		"http://h":         "http://h/a9a.t",
		"http://h/a9a?k=1": "http://h/a9a.t?k=1",
	} {
		if got, err := locate(base, set, set.Files[1]); err != nil || got != want {
			t.Errorf("locate(%q) = %q, %v, want %q", base, got, err, want)
		}
	}
}

func TestSetFromAMirror(t *testing.T) {
	files := map[string][]byte{"/m/one": body(5000), "/m/two": body(70)}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		whole(files[r.URL.Path], w, r)
	}))
	defer server.Close()
	one, two := known(files["/m/one"]), known(files["/m/two"])
	one.Name, two.Name = "one", "two"
	folder := t.TempDir()
	paths, err := quick().Set(t.Context(), dataset.KnownSet{Files: []dataset.KnownFile{one, two}}, folder, server.URL+"/m")
	if err != nil || len(paths) != 2 || paths[1] != filepath.Join(folder, "two") {
		t.Fatalf("paths %v, error %v", paths, err)
	}
}

func TestFileWithoutAddress(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.bin")
	err := quick().one(t.Context(), dataset.KnownSet{}, known(body(10)), path, "")
	expectNothing(t, err, path, "no public address")
}

// housesArchive packs a houses.csv the way its archive has it: other columns,
// six decimals.
func housesArchive(t *testing.T, path string) []byte {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var table bytes.Buffer
	for _, r := range rows[1:] {
		fields := []string{r[8], r[7], r[2], r[3], r[4], r[5], r[6], r[1], r[0]}
		for j, field := range fields {
			if whole, fraction, _ := strings.Cut(field, "."); len(fraction) < 6 {
				fields[j] = whole + "." + fraction + strings.Repeat("0", 6-len(fraction))
			}
		}
		fmt.Fprintln(&table, strings.Join(fields, ","))
	}
	return tarball(t, "CaliforniaHousing/cal_housing.data", table.Bytes())
}

func tarball(t *testing.T, name string, contents []byte) []byte {
	t.Helper()
	var packed bytes.Buffer
	zipped := gzip.NewWriter(&packed)
	out := tar.NewWriter(zipped)
	for _, f := range []struct {
		name string
		data []byte
	}{{"readme", []byte("hello")}, {name, contents}} {
		if err := out.WriteHeader(&tar.Header{Name: f.name, Mode: 0o644, Size: int64(len(f.data))}); err != nil {
			t.Fatal(err)
		}
		if _, err := out.Write(f.data); err != nil {
			t.Fatal(err)
		}
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	if err := zipped.Close(); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}

// archived is the houses set with an archive served from b.
func archived(t *testing.T, b []byte) dataset.KnownSet {
	t.Helper()
	set, err := dataset.KnownSetByName("houses")
	if err != nil {
		t.Fatal(err)
	}
	url, _ := serve(t, func(_ int, w http.ResponseWriter, r *http.Request) { whole(b, w, r) })
	archive := known(b)
	archive.Name, archive.URL = "cal_housing.tgz", url
	set.Archive = &dataset.Archive{KnownFile: archive, Member: set.Archive.Member}
	return set
}

func TestHousesAreMadeFromTheirArchive(t *testing.T) {
	own := housesInShortForm(t)
	testdata.Both(t, own, "data/houses/houses.csv", func(t *testing.T, path string) {
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		set := archived(t, housesArchive(t, path))
		if path == own {
			set.Files = []dataset.KnownFile{known(want)}
			set.Files[0].Name = "houses.csv"
		}
		paths, err := quick().Set(t.Context(), set, t.TempDir(), "")
		if err != nil {
			t.Fatal(err)
		}
		expectWhole(t, paths[0], want)
	})
}

// housesInShortForm is a table of our own with every number as short as it gets.
func housesInShortForm(t *testing.T) string {
	t.Helper()
	path := testdata.Houses(t, 300)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	for i, line := range lines[1:] {
		fields := strings.Split(line, ",")
		for j, field := range fields {
			if strings.Contains(field, ".") {
				fields[j] = strings.TrimRight(strings.TrimRight(field, "0"), ".")
			}
		}
		lines[i+1] = strings.Join(fields, ",")
	}
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestDamagedArchives(t *testing.T) {
	for name, c := range map[string]struct {
		archive []byte
		what    string
	}{
		"no member":   {tarball(t, "other.data", nil), "no CaliforniaHousing/cal_housing.data inside"},
		"not a gzip":  {body(1000), "cal_housing.tgz"},
		"ragged":      {tarball(t, "CaliforniaHousing/cal_housing.data", []byte("1,2\n")), "wrong number of fields"},
		"no number":   {tarball(t, "CaliforniaHousing/cal_housing.data", []byte("1,2,3,4,5,6,7,8,x\n")), "invalid syntax"},
		"other table": {tarball(t, "CaliforniaHousing/cal_housing.data", []byte("1,2,3,4,5,6,7,8,9\n")), "wrong checksum"},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			_, err := quick().Set(t.Context(), archived(t, c.archive), folder, "")
			expectNothing(t, err, filepath.Join(folder, "houses.csv"), c.what)
		})
	}
}
