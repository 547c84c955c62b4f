package sweep

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/report"
)

// MostRepeats is the largest number of repeats of a setting.
const MostRepeats = 10_000

// repeatsVary lists the parts of a run that follow from its seed and so differ between repeats.
const repeatsVary = "splits, partitions, random graphs, noise and routes"

// Repeats returns fields that run every setting times times, with consecutive seeds that begin with the spec's.
func Repeats(fields []Field, seed uint64, times int) ([]Field, error) {
	if times < 1 || times > MostRepeats {
		return nil, fault.New(fmt.Sprintf("--repeat %d", times), fmt.Sprintf("give how often each setting is run, 1 to %d", MostRepeats))
	}
	if slices.ContainsFunc(fields, func(f Field) bool { return f.Key == "seed" }) {
		return nil, fault.New("--repeat, and --vary seed", "leave --vary seed out: every repeat has a seed of its own, from the spec's on")
	}
	seeds := Field{Key: "seed"}
	for i := range times {
		seeds.Values = append(seeds.Values, strconv.FormatUint(seed+uint64(i), 10))
	}
	return append(slices.Clone(fields), seeds), nil
}

// Together merges the repeats of each setting into one row. The repeats must be adjacent and differ only in their last
// field. A setting has failed if any of its repeats has.
func Together(fields []Field, rows []Row, times int) (all []Row) {
	for i := 0; i+times <= len(rows); i += times {
		all = append(all, together(rows[i:i+times], i/times))
	}
	Frontier(all, LossAxis(fields))
	return all
}

// together returns the row of the repeats of one setting.
func together(of []Row, number int) Row {
	r := of[0]
	r.Values = r.Values[:len(r.Values)-1]
	r.Cell = Cell{number, r.Values}
	failed := 0
	for _, other := range of {
		if other.Error != "" {
			if failed++; failed == 1 {
				r.Error, r.Hint = other.Error, other.Hint
			}
		}
	}
	switch {
	case failed > 0:
		return Row{Cell: r.Cell, Values: r.Values, Error: fmt.Sprintf("%d of %d repeats failed: %s", failed, len(of), r.Error), Hint: r.Hint}
	case slices.ContainsFunc(of, func(other Row) bool { return other.kind() != r.kind() || other.Classifies != r.Classifies }):
		return Row{Cell: r.Cell, Values: r.Values, Error: fmt.Sprintf("repeats have losses of several kinds: %s", kinds(of)), Hint: "name one accountant: privacy.accountant"}
	}
	r.Repeats, r.Varies, r.Seconds, r.Sigma = len(of), repeatsVary, 0, 0
	var accountants []string
	for _, other := range of {
		r.Seconds, r.Sigma = r.Seconds+other.Seconds, r.Sigma+other.Sigma/float64(len(of))
		if !slices.Contains(accountants, other.Accountant) {
			accountants = append(accountants, other.Accountant)
		}
	}
	r.Accountant = strings.Join(accountants, " or ")
	for _, m := range []struct {
		mean   *report.Number
		spread *Spread
		of     func(Row) report.Number
	}{
		{&r.Score, &r.Spread.Score, func(r Row) report.Number { return r.Score }},
		{&r.TrainLoss, &r.Spread.TrainLoss, func(r Row) report.Number { return r.TrainLoss }},
		{&r.TestLoss, &r.Spread.TestLoss, func(r Row) report.Number { return r.TestLoss }},
		{&r.Mean, &r.Spread.Mean, func(r Row) report.Number { return r.Mean }},
		{&r.Max, &r.Spread.Max, func(r Row) report.Number { return r.Max }},
	} {
		numbers := make([]float64, len(of))
		for i, other := range of {
			numbers[i] = float64(m.of(other))
		}
		*m.mean, *m.spread = over(numbers)
	}
	r.Std = r.Spread.Score.Std
	r.confine()
	return r
}

// kinds returns the kinds of losses in some rows, in words.
func kinds(of []Row) string {
	var all []string
	for _, r := range of {
		if text := r.kind().words(); !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	return strings.Join(all, "; ")
}
