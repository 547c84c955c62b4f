package scatter

import (
	"compress/gzip"
	"io"
	"math"
	"os"
	"testing"

	"github.com/hearsay-dp/hearsay/internal/testdata"
)

// Features of the first test digit of MNIST, a seven, are those that another program has computed in single precision by Fourier
// transforms of whole planes: to 1e-6, where features of order 0 are up to 1.
func TestFeaturesOfADigitAreThoseOfAnotherProgram(t *testing.T) {
	file, err := os.Open(testdata.Shared(t, "data/mnist/t10k-images-idx3-ubyte.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unpacked, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	bytes := make([]byte, 16+28*28) // a header, the digit
	if _, err := io.ReadFull(unpacked, bytes); err != nil {
		t.Fatal(err)
	}
	digit := make([]float64, 28*28)
	for i, b := range bytes[16:] {
		digit[i] = float64(b) / 255
	}
	got := raw(prepared(t, Shape{1, 28, 28}, 2, 8), digit, 1, 1)
	for i, want := range map[int]float64{
		24: 0.06393869, 60: 0.003878242, 73: 0.01052385, 416: 0.01082136, 417: 0.04816639, 1000: 0.004334313,
		1251: 0.0197092, 2222: 0.02774506, 3000: 0.0049738, 3500: 0.0002083315, 3940: 0.005895657,
	} {
		if d := math.Abs(got[i] - want); !(d < 1e-6) {
			t.Errorf("feature %d is %g, off by %g", i, got[i], d)
		}
	}
}
