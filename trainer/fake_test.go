//go:build unix

package trainer

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hearsay-dp/hearsay/internal/safetensors"
)

// The tests' own program: this test binary, started again. FAKE says how it behaves, and once, if it misbehaves, it does so only as
// long as the file in FAKE_ONCE is missing.
func TestMain(m *testing.M) {
	if mode := os.Getenv("FAKE"); mode != "" && os.Getenv(socketVariable) != "" {
		file := os.NewFile(3, "hearsay")
		conn, err := net.FileConn(file)
		if err != nil {
			os.Exit(3)
		}
		if once := os.Getenv("FAKE_ONCE"); once != "" {
			if _, err := os.Stat(once); err == nil {
				mode = "ok"
			} else if err := os.WriteFile(once, nil, 0o600); err != nil {
				os.Exit(4)
			}
		}
		(&fake{mode: mode, conn: conn}).serve()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// fakeLayout is a dense layer of two inputs and two outputs, and three other numbers before and one behind.
var fakeLayout = `{"tensors":[{"name":"a","shape":[3]},{"name":"w","shape":[2,2]},{"name":"b","shape":[2]},{"name":"z","shape":[1]}]}`

const fakeParameters, fakeRows = 10, 50

type fake struct {
	mode   string
	conn   net.Conn
	asked  int
	memory float64
}

func (f *fake) serve() {
	in := safetensors.Reader{From: f.conn}
	for {
		m, err := in.Read(1 << 30)
		if err != nil {
			return
		}
		switch m.Says["ask"] {
		case "hello":
			f.hello()
		case "gradients":
			f.asked++
			f.gradients(m)
		case "score":
			_ = safetensors.New(map[string]string{"answer": "score", "loss": "0.5", "accuracy": "0.75"}).Write(f.conn)
		case "bye":
			return
		}
	}
}

func (f *fake) hello() {
	says := map[string]string{"answer": "hello", "version": version, "name": "fake", "engine": "fake", "layout": fakeLayout, "factors": `[["w","b"]]`,
		"train_rows": strconv.Itoa(fakeRows), "test_rows": "5"}
	if f.mode == "other" {
		says["train_rows"] = "7"
	}
	m := safetensors.New(says)
	m.Put("initial", "F32", []int{fakeParameters}, safetensors.Singles(nil, make([]float64, fakeParameters)))
	_ = m.Write(f.conn)
}

// fakeFactors are what is behind the gradient of a row at theta.
func fakeFactors(theta []float64, row int) (others, in, out []float64) {
	r := float64(float32(row) / 64)
	return []float64{r + theta[0], float64(float32(-2 * r)), 0.25, 1}, []float64{r, 1 - r}, []float64{theta[9] + 0.5, r}
}

// fakeGradient is the gradient of a row at theta, in the order of the layout.
func fakeGradient(theta []float64, row int) []float64 {
	o, in, out := fakeFactors(theta, row)
	g := append([]float64{}, o[:3]...)
	for _, s := range out {
		g = append(g, s*in[0], s*in[1])
	}
	return append(append(g, out...), o[3])
}

func (f *fake) gradients(m *safetensors.Message) {
	theta, rows := make([]float64, fakeParameters), make([]int, len(m.Tensors["rows"].Data)/8)
	safetensors.Doubles(theta, m.Tensors["theta"].Data)
	for i := range rows {
		rows[i] = int(binary.LittleEndian.Uint64(m.Tensors["rows"].Data[8*i:]))
	}
	if f.mode == "coupled" {
		theta[0] += float64(len(rows)) / 16
	}
	if f.mode == "random" || f.mode == "stateful" {
		theta[0] += float64(f.asked)
	}
	if f.mode == "remembers" { // the rows that it was asked about first
		if f.memory == 0 {
			f.memory = float64(len(rows))
		}
		theta[0] += f.memory / 16
	}
	const chunk = 8
	for first := 0; first < len(rows); first += chunk {
		some := rows[first:min(first+chunk, len(rows))]
		if first > 0 && f.misbehave(first) {
			return
		}
		f.block(first, some, theta)
	}
	if f.mode == "short" {
		return
	}
	_ = safetensors.New(map[string]string{"answer": "end", "count": strconv.Itoa(len(rows))}).Write(f.conn)
}

// misbehave does what the mode says after the first block, and reports whether that was the end of the answer.
func (f *fake) misbehave(first int) bool {
	switch f.mode {
	case "dies":
		fmt.Fprintln(os.Stderr, "a value of somebody")
		os.Exit(1)
	case "cut":
		_, _ = f.conn.Write([]byte{9, 0, 0, 0, 0, 0, 0, 0, '{'})
		os.Exit(1)
	case "stops":
		signal.Reset()
		_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
	case "hangs":
		time.Sleep(time.Hour)
	case "early":
		_ = safetensors.New(map[string]string{"answer": "end", "count": strconv.Itoa(first)}).Write(f.conn)
		return true
	case "noise":
		_, _ = io.WriteString(f.conn, strings.Repeat("hello, this is what my model printed\n", 100))
		return true
	case "trouble":
		_ = safetensors.New(map[string]string{"answer": "trouble", "what": "ValueError: no\x1b[2J more"}).Write(f.conn)
		return true
	}
	return false
}

func (f *fake) block(first int, rows []int, theta []float64) {
	n := len(rows)
	var a, z, in, out []float64
	for i, row := range rows {
		o, x, s := fakeFactors(theta, row)
		switch f.mode {
		case "nan":
			if (first+i)%3 == 0 {
				o[1] = math.NaN()
			}
		case "huge":
			x[0], s[1] = 3e38, math.Inf(1)
		}
		a, z, in, out = append(a, o[:3]...), append(z, o[3]), append(in, x...), append(out, s...)
	}
	says := map[string]string{"answer": "block", "first": strconv.Itoa(first), "rows": strconv.Itoa(n)}
	if f.mode == "repeats" && first > 0 {
		says["first"] = "0"
	}
	columns := 3
	if f.mode == "shape" {
		columns, a = 2, a[:2*n]
	}
	m := safetensors.New(says)
	m.Put("rows 0", "F32", []int{n, columns}, safetensors.Singles(nil, a))
	m.Put("rows 1", "F32", []int{n, 1}, safetensors.Singles(nil, z))
	m.Put("inputs 0", "F32", []int{n, 2}, safetensors.Singles(nil, in))
	m.Put("slopes 0", "F32", []int{n, 2}, safetensors.Singles(nil, out))
	if f.mode == "more" {
		m.Put("gift", "F32", []int{1}, safetensors.Singles(nil, []float64{1}))
	}
	if err := m.Write(f.conn); err != nil && !errors.Is(err, net.ErrClosed) {
		os.Exit(5)
	}
}
