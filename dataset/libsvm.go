package dataset

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/textfile"
)

// maxFeatures is the largest index accepted when the dimension is not given,
// because rows are stored densely.
const maxFeatures = 1 << 20

// ReadLIBSVM reads lines of "label index:value ..." with indices that start
// at 1 and increase; name stands for r in messages. features fixes the
// dimension (an index above it is an error); 0 takes the largest index found.
// Text after # is a comment. Missing indices are zeros.
func ReadLIBSVM(r io.Reader, name string, features int, task Task) (*Table, error) {
	p := &libsvmParser{name: name, limit: features, labels: newLegend(), task: task}
	if features == 0 {
		p.limit = maxFeatures
	}
	text := textfile.NewReader(r, name)
	head, err := text.Head()
	if err != nil {
		return nil, readError(name, err)
	}
	if form := textfile.Form(head); form != "" {
		return nil, fault.New(fmt.Sprintf("%s is %s", name, form), "give lines of a label and index:value pairs, or source: csv for a table with column names")
	}
	in := bufio.NewReaderSize(text, 1<<16)
	for line := 1; ; line++ {
		row, err := in.ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, readError(name, err)
		}
		if bad := p.line(line, row); bad != nil {
			return nil, bad
		}
		if err != nil {
			return p.finish(features, cellLimit(r, text.Bytes()))
		}
	}
}

// libsvmParser gathers rows in compressed form.
type libsvmParser struct {
	name    string
	task    Task
	limit   int // largest index allowed
	largest int // largest index seen
	index   []int32
	value   []float64
	ends    []int // where each row ends in index and value
	y       []float64
	labels  *legend
	classes []int32
}

// line adds one row, if there is one.
func (p *libsvmParser) line(n int, text string) error {
	text, _, _ = strings.Cut(text, "#")
	label, rest, ok := nextField(text)
	if !ok {
		return nil
	}
	v, why := finite(label)
	if why != "" {
		return fault.New(fmt.Sprintf("%s line %d: the label is %s: %q", p.name, n, why, clip(label)), "a line is a label and then index:value pairs")
	}
	p.y = append(p.y, v)
	if p.task == Classification {
		p.classes = append(p.classes, p.labels.number(label))
	}
	last := 0
	for {
		var pair string
		if pair, rest, ok = nextField(rest); !ok {
			p.ends = append(p.ends, len(p.index))
			return nil
		}
		j, err := p.pair(n, pair, last)
		if err != nil {
			return err
		}
		last = j
	}
}

// nextField cuts the first run of non-blanks off s.
func nextField(s string) (field, rest string, ok bool) {
	s = strings.TrimLeft(s, " \t\r\n")
	if s == "" {
		return "", "", false
	}
	if i := strings.IndexAny(s, " \t\r\n"); i >= 0 {
		return s[:i], s[i:], true
	}
	return s, "", true
}

// pair adds one index:value and returns the index.
func (p *libsvmParser) pair(n int, pair string, last int) (int, error) {
	left, right, ok := strings.Cut(pair, ":")
	j, err := strconv.Atoi(left)
	switch {
	case !ok || err != nil:
		return 0, fault.New(fmt.Sprintf("%s line %d: %q is not index:value", p.name, n, clip(pair)), "a line is a label and then index:value pairs")
	case j < 1:
		return 0, fault.New(fmt.Sprintf("%s line %d: the index of %q is below 1", p.name, n, clip(pair)), "indices start at 1")
	case j <= last:
		return 0, fault.New(fmt.Sprintf("%s line %d: index %d comes after %d", p.name, n, j, last), "indices must increase along a line")
	case j > p.limit:
		return 0, fault.New(fmt.Sprintf("%s line %d: index %d is above the dimension %d", p.name, n, j, p.limit), "check the file, or set the number of features")
	}
	v, why := finite(right)
	if why != "" {
		return 0, fault.New(fmt.Sprintf("%s line %d: column \"%d\" is %s: %q", p.name, n, j, why, clip(right)), "correct the value or remove the row")
	}
	p.index, p.value = append(p.index, int32(j-1)), append(p.value, v)
	p.largest = max(p.largest, j)
	return j, nil
}

// finish spreads the rows out into a dense table of at most that many cells.
func (p *libsvmParser) finish(features, cells int) (*Table, error) {
	if features == 0 {
		features = p.largest
	}
	if len(p.y) == 0 || features == 0 {
		return nil, fault.New(p.name+" has no rows with features", "a line is a label and then index:value pairs")
	}
	if err := checkCellsUpTo(cells, p.name, len(p.y), features); err != nil {
		return nil, err
	}
	t := &Table{Source: "libsvm", Target: "label", Task: p.task, Features: numbered(features), Y: p.y, X: make([]float64, len(p.y)*features)}
	start := 0
	for i, end := range p.ends {
		for k := start; k < end; k++ {
			t.X[i*features+int(p.index[k])] = p.value[k]
		}
		start = end
	}
	if p.task != Classification {
		return t, nil
	}
	return t, labelClasses(t, p.name, p.labels, p.classes)
}

// numbered names columns 1..n, as LIBSVM counts them.
func numbered(n int) []string {
	names := make([]string, n)
	for j := range names {
		names[j] = strconv.Itoa(j + 1)
	}
	return names
}
