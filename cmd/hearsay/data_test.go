package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/dataset"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/testdata"
)

// data runs `hearsay data args...` under a root that knows --json.
func data(t *testing.T, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	root := &cobra.Command{Use: "hearsay", SilenceErrors: true, SilenceUsage: true}
	root.PersistentFlags().Bool("json", false, "")
	root.AddCommand(newDataCommand())
	root.SetArgs(append([]string{"data"}, args...))
	var out, errs bytes.Buffer
	root.SetOut(&out)
	root.SetErr(&errs)
	err = root.ExecuteContext(t.Context())
	return out.String(), errs.String(), err
}

func TestDataInfoTable(t *testing.T) {
	says := func(words ...string) func(*testing.T, string) {
		return func(t *testing.T, path string) {
			out, _, err := data(t, "info", "heart", "--path", path)
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range append(words, "label +1", "oldpeak") {
				if !strings.Contains(out, want) {
					t.Errorf("no %q in\n%s", want, out)
				}
			}
		}
	}
	t.Run("own", func(t *testing.T) {
		says("130, 26 more left out", "is not the published file", "switzerland: 35 rows", "ca: 156 rows")(t, testdata.Heart(t))
	})
	t.Run("outside", func(t *testing.T) {
		says("740, 180 more left out", "checksum is that of the published file", "switzerland: 46 rows", "ca: 611 rows")(t, testdata.Shared(t, "data/heart"))
	})
}

func TestDataInfoJSON(t *testing.T) {
	info := func(t *testing.T, folder string, rows, below int, state dataset.KnownState) {
		out, _, err := data(t, "info", "houses", "--json", "--target", "median_house_value", "--path", folder)
		if err != nil {
			t.Fatal(err)
		}
		var s dataset.Summary
		if err := json.Unmarshal([]byte(out), &s); err != nil {
			t.Fatalf("%v in %s", err, out)
		}
		if s.Rows != rows || s.Classes[1].Rows != below || s.Files[0].State != state {
			t.Errorf("summary %+v", s)
		}
	}
	t.Run("own", func(t *testing.T) { info(t, filepath.Dir(testdata.Houses(t, 500)), 500, 289, dataset.Differs) })
	t.Run("outside", func(t *testing.T) { info(t, testdata.Shared(t, "data/houses"), 20640, 12255, dataset.Matches) })
}

func TestDataInfoOfAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "own.csv")
	if err := os.WriteFile(path, []byte("size,town,sick\n1,Lille,no\n2.5,Arles,yes\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	out, _, err := data(t, "info", path, "--target", "sick", "--group", "town")
	if err != nil || !strings.Contains(out, "Lille: 1 rows") {
		t.Errorf("%v\n%s", err, out)
	}
	_, _, err = data(t, "info", path, "--target", "sick")
	if err == nil || !strings.Contains(err.Error(), `own.csv: column "town" is not a number in 2 rows (lines 2, 3, such as "Lille")`) || fault.Hint(err) == "" {
		t.Errorf("error %v", err)
	}
}

// mirror serves the folder of a houses/houses.csv as the mirror.
func mirror(t *testing.T, source string) {
	t.Helper()
	server := httptest.NewServer(http.StripPrefix("/m", http.FileServer(http.Dir(filepath.Dir(filepath.Dir(source))))))
	t.Cleanup(server.Close)
	t.Setenv("HEARSAY_MIRROR", server.URL+"/m")
}

// A mirror that has another table under the name is found out, and nothing of it stays.
func TestDataFetchFromAWrongMirror(t *testing.T) {
	mirror(t, testdata.Houses(t, 500))
	dir := t.TempDir()
	if _, _, err := data(t, "fetch", "houses", "--dir", dir, "--json"); err == nil || fault.Hint(err) == "" {
		t.Errorf("error %v", err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("the folder holds %v", left)
	}
}

func TestDataFetchFromAMirror(t *testing.T) {
	source := testdata.Shared(t, "data/houses/houses.csv")
	mirror(t, source)
	dir := t.TempDir()
	out, stderr, err := data(t, "fetch", "houses", "--dir", dir, "--json")
	if err != nil || stderr != "" || !json.Valid([]byte(out)) {
		t.Fatalf("%v, stdout %q, stderr %q", err, out, stderr)
	}
	got, _ := os.ReadFile(filepath.Join(dir, "houses.csv"))
	want, _ := os.ReadFile(source)
	if len(want) == 0 || !bytes.Equal(got, want) {
		t.Errorf("%d bytes arrived of %d", len(got), len(want))
	}
}

func TestDataFetchErrors(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	dir := t.TempDir()
	_, _, err := data(t, "fetch", "houses", "--dir", dir, "--url", server.URL)
	if err == nil || !strings.Contains(err.Error(), "404 Not Found") || fault.Hint(err) == "" {
		t.Errorf("error %v", err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("the folder holds %v", left)
	}
	if _, _, err = data(t, "fetch", "housez"); err == nil || !strings.Contains(fault.Hint(err), "houses") {
		t.Errorf("error %v, hint %q", err, fault.Hint(err))
	}
}
