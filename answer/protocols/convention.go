package protocols

import (
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/report"
)

// Noise holds the flags of `hearsay privacy convert` about a noise multiplier.
type Noise struct {
	Sigma      float64 // of Hearsay, unit record: the noise on a sum of clipped gradients over 2 x clip
	Multiplier float64 // of Opacus: the same noise over clip
	Clip       float64
	Rows       int // of a participant
	Releases   int
}

// noiseFlags lists the flags that apply to noise only.
var noiseFlags = []string{"sigma", "noise-multiplier", "clip", "rows", "releases"}

// A Convention is the same noise in all conventions, with the loss of a row.
type Convention struct {
	Sigma       float64        `json:"sigma"`            // unit: record
	Participant *float64       `json:"sigma_of_all"`     // unit: participant; null: its rows are not given
	Multiplier  float64        `json:"noise_multiplier"` // Opacus, TensorFlow Privacy
	Deviation   *float64       `json:"noise_std"`        // on the sum; null: no clip is given
	Releases    int            `json:"releases"`
	Replaced    Neighbourhood  `json:"replaced"`         // data sets differ in one row, replaced by any other
	Added       Neighbourhood  `json:"added_or_removed"` // data sets differ by the addition or removal of one row
	All         *Neighbourhood `json:"all_replaced"`     // all rows of a participant; null: they are not given
	Delta       *float64       `json:"delta"`            // of epsilon; null: it is not given
	Notice      string         `json:"notice"`
}

// A Neighbourhood is the loss for one kind of neighbouring data sets.
type Neighbourhood struct {
	Mu      float64  `json:"mu"`      // shift of all releases jointly over their noise
	Rho     float64  `json:"rho"`     // zero-concentrated loss of the releases
	Epsilon *float64 `json:"epsilon"` // null: no delta is given
}

const conventionNotice = "This translates noise, not privacy: an epsilon for adding or removing a row is none for replacing one, which is at least as large. " +
	"Every row is in every release here; samples of rows lower both epsilons, by different amounts."

// convention converts noise, as the flags noiseFlags and delta ask.
func (f *ConvertQuestion) convention() (*Convention, error) {
	if err := f.checkNoise(); err != nil {
		return nil, err
	}
	n := f.Noise
	c := &Convention{Sigma: n.Sigma, Multiplier: n.Multiplier, Releases: n.Releases, Notice: conventionNotice}
	if f.Given("sigma") {
		c.Multiplier = 2 * c.Sigma
	} else {
		c.Sigma = c.Multiplier / 2
	}
	if f.Given("delta") {
		c.Delta = &f.Delta
	}
	if f.Given("clip") {
		deviation := c.Multiplier * n.Clip
		c.Deviation = &deviation
	}
	c.Replaced, c.Added = c.told(c.Sigma), c.told(c.Multiplier)
	if f.Given("rows") {
		sigma := c.Sigma / float64(n.Rows)
		all := c.told(sigma)
		c.Participant, c.All = &sigma, &all
	}
	return c, nil
}

// told returns the loss of the releases at a multiplier of noise over sensitivity.
func (c *Convention) told(multiplier float64) Neighbourhood {
	mu := math.Sqrt(float64(c.Releases)) / multiplier
	n := Neighbourhood{Mu: mu, Rho: mu * mu / 2}
	if c.Delta != nil {
		epsilon := privacy.EpsilonGaussian(mu, *c.Delta)
		n.Epsilon = &epsilon
	}
	return n
}

func (f *ConvertQuestion) checkNoise() error {
	for _, flag := range []string{"alpha", "rdp", "mu", "eps"} {
		if f.Given(flag) {
			return fault.New("--"+flag+" is of a loss, --sigma and --noise-multiplier are of noise", "give --sigma or --noise-multiplier with --delta, --clip, --rows and --releases alone")
		}
	}
	n := f.Noise
	if f.Given("sigma") == f.Given("noise-multiplier") {
		return fault.New("convert translates one noise multiplier", "give --sigma 0.55, which is over 2 x clip, or --noise-multiplier 1.1, which is over clip")
	}
	for _, x := range []struct {
		flag  string
		value float64
	}{{"sigma", n.Sigma}, {"noise-multiplier", n.Multiplier}, {"clip", n.Clip}} {
		if f.Given(x.flag) && !(x.value >= privacy.LeastSigma && x.value <= mostNoise) {
			return fault.New(fmt.Sprintf("--%s %g is not between %g and %g", x.flag, x.value, privacy.LeastSigma, mostNoise), "give a number such as 1.1")
		}
	}
	for _, x := range []struct {
		flag  string
		value int
	}{{"rows", n.Rows}, {"releases", n.Releases}} {
		if x.value < 1 || x.value > mostCounted {
			return fault.New(fmt.Sprintf("--%s %d is not between 1 and %d", x.flag, x.value, mostCounted), "give a whole number such as 100")
		}
	}
	return f.checkDelta()
}

const (
	mostNoise   = 1e12 // of a spec's sigma, too
	mostCounted = 1_000_000_000
)

// Print implements form.Printer.
func (c *Convention) Print(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	row := func(who, name string, value float64, over, neighbours string, n Neighbourhood) {
		fmt.Fprintf(t, "%s\t%s %s\t%s\t%s\t%s\t%s\t%s\n", who, name, short(value), over, neighbours, report.Upwards(n.Mu, 6), report.Upwards(n.Rho, 6), c.epsilon(n))
	}
	title := "epsilon"
	if c.Delta != nil {
		title = fmt.Sprintf("epsilon at delta %g", *c.Delta)
	}
	fmt.Fprintf(t, "who\tcalls it\tnoise over\tneighbouring data sets\tmu\trho\t%s\n", title)
	row("Hearsay, unit: record", "sigma", c.Sigma, "2 x clip", "one row replaced", c.Replaced)
	row("Opacus, TensorFlow Privacy", "noise_multiplier", c.Multiplier, "clip", "one row more or less", c.Added)
	if c.Participant != nil {
		row("Hearsay, unit: participant", "sigma", *c.Participant, "2 x clip x rows", "all rows of a participant replaced", *c.All)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if c.Deviation != nil {
		fmt.Fprintf(w, "\nThe noise on a sum of clipped gradients has standard deviation %s.", short(*c.Deviation))
	}
	releases := "one release"
	if c.Releases > 1 {
		releases = fmt.Sprintf("%d releases together", c.Releases)
	}
	_, err := fmt.Fprintf(w, "\nmu, rho and epsilon are of %s. %s\n", releases, c.Notice)
	return err
}

// short formats noise as it was given, because the product of two decimals has further
// digits.
func short(x float64) string { return strconv.FormatFloat(x, 'g', 12, 64) }

func (c *Convention) epsilon(n Neighbourhood) string {
	if n.Epsilon == nil {
		return "give --delta"
	}
	return report.Loss(*n.Epsilon, report.Sound)
}
