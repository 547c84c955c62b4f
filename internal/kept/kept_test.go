package kept

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/hearsay-dp/hearsay/privacy"
)

func folder(t *testing.T, most int64) (*Folder, *bytes.Buffer) {
	t.Helper()
	var said bytes.Buffer
	return In(filepath.Join(t.TempDir(), "kept [1]"), most, &said), &said // no pattern
}

// What is kept is used under its own key by its own program only, and not once a bit
// of it has changed.
func TestWhatIsKeptComesBackAsItWas(t *testing.T) {
	f, said := folder(t, 0)
	key, text := privacy.Key{7}, []byte("what was found")
	if f.Recall(key) != nil {
		t.Error("something from nowhere")
	}
	f.Keep(key, text)
	if back := f.Recall(key); !bytes.Equal(back, text) {
		t.Errorf("kept and lost: %q", back)
	}
	other := &Folder{folder: f.folder, program: func() (privacy.Key, error) { return privacy.Key{3}, nil }, say: said}
	if f.Recall(privacy.Key{8}) != nil || other.Recall(key) != nil {
		t.Error("what another key or program has found")
	}
	path, stranger := f.path(f.name(key)), f.path(f.name(privacy.Key{9}))
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(stranger, whole, 0o600); err != nil { // a file under another's name
		t.Fatal(err)
	}
	if f.Recall(privacy.Key{9}) != nil {
		t.Error("a renamed file is used")
	}
	for _, at := range []int{0, 40, len(whole) - 1} {
		damaged := bytes.Clone(whole)
		damaged[at] ^= 1
		if err := os.WriteFile(path, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		if f.Recall(key) != nil {
			t.Errorf("byte %d is damaged, and it is used", at)
		}
	}
	if !strings.Contains(said.String(), "damaged") {
		t.Errorf("nothing is said of damage: %q", said.String())
	}
	if err := os.Truncate(path, longest+100); err != nil { // a file of gigabytes is not read
		t.Fatal(err)
	}
	if f.Recall(key) != nil || !strings.Contains(said.String(), "longer than") {
		t.Errorf("a file that is too long: %q", said.String())
	}
	if files, _ := f.Size(); files != 2 || !f.Used() {
		t.Errorf("%d files, used: %v", files, f.Used())
	}
	f.Clear()
	if _, err := os.Stat(f.folder); !os.IsNotExist(err) {
		t.Errorf("the folder stays: %v", err)
	}
}

// A digest does not say who wrote a file: a folder that others can write into is not
// believed.
func TestAFolderOfEverybodyIsNotUsed(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("folders have no such modes here")
	}
	f, said := folder(t, 0)
	key := privacy.Key{1}
	f.Keep(key, []byte("x"))
	if err := os.Chmod(f.folder, 0o777); err != nil {
		t.Fatal(err)
	}
	if f.Recall(key) != nil || !strings.Contains(said.String(), "others may write") {
		t.Errorf("used, and said is %q", said.String())
	}
	if err := os.Chmod(f.folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if f.Recall(key) == nil {
		t.Error("the user's own folder is not used")
	}
}

// What another goroutine has room for and has not written yet is not forgotten when the
// files are counted.
func TestRoomIsKeptForWhatIsComing(t *testing.T) {
	const most, coming = 4000, 500
	f, _ := folder(t, most)
	written := f.makeRoom(coming)
	for k := range 100 {
		f.Keep(privacy.Key{byte(k)}, make([]byte, 100))
		if _, total := f.files(); total+coming > most {
			t.Fatalf("after %d files there are %d bytes, with %d to come and a limit of %d", k+1, total, coming, most)
		}
	}
	written()
}

// However much is kept, a folder with a limit stays below it, and what was used last
// stays. Goroutines may keep and recall at once.
func TestAFolderStaysSmall(t *testing.T) {
	const most = 4000
	f, _ := folder(t, most)
	text := make([]byte, 100)
	var group sync.WaitGroup
	for w := range 2 {
		group.Go(func() {
			for k := range 50 {
				f.Keep(privacy.Key{byte(k), byte(w)}, text)
				f.Recall(privacy.Key{byte(k / 2), byte(w)})
			}
		})
	}
	group.Wait()
	files, total := f.files()
	if total > most || len(files) < 10 {
		t.Errorf("%d files of %d bytes under a limit of %d", len(files), total, most)
	}
	again := In(f.folder, most, &bytes.Buffer{}) // which has not counted yet
	for k := range 20 {
		again.Keep(privacy.Key{byte(k), 9}, text)
	}
	if _, total := f.files(); total > most {
		t.Errorf("%d bytes under a limit of %d", total, most)
	}
	if again.Recall(privacy.Key{19, 9}) == nil {
		t.Error("what was kept last is gone")
	}
}

func ExampleFolder() {
	temp, err := os.MkdirTemp("", "kept")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(temp)
	f := In(temp, 0, os.Stderr)
	f.Keep(privacy.Key{1}, []byte("found"))
	fmt.Printf("%s\n", f.Recall(privacy.Key{1}))
	// Output: found
}
