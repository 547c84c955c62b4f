package family

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/dataset"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/spec"
	"github.com/hearsay-dp/hearsay/step"
)

// Unit is the unit of privacy.
func (h *Holdings) Unit() privacy.Unit {
	if h.Spec.Records() {
		return privacy.Record
	}
	return privacy.Participant
}

// Rows is the public number of rows that node v learns from: of a federation at least so
// many, by what it declares.
func (h *Holdings) Rows(v int) int {
	if h.Public {
		return h.Spec.RecordRows() * dataset.Learnt(h.Spec.Participants[v].Rows, h.Spec.Data.Test.Share)
	}
	return h.Examples.Examples(step.NodeID(v)).Len()
}

// Records is how many records the Rows of node v are.
func (h *Holdings) Records(v int) int { return h.Rows(v) / h.Spec.RecordRows() }

// PersonGround is what a number takes for granted of a record that is all rows of a person; none of other records.
func PersonGround(s *spec.Spec) []string {
	if s.Data.Person == "" {
		return nil
	}
	return []string{fmt.Sprintf("a record is all rows with one value of column %s at one participant, learnt from as exactly %d rows, so that how many there are is protected too; "+
		"who has two such values, or rows at two participants, is protected in each by itself, and not in what they let out together", s.Data.Person, s.Data.RowsPerPerson)}
}

// RecordShares are those of one record in what every node releases, nil where all of a node's
// data is the unit of privacy. of says how many rows a contribution of so many is a mean
// over, at least. A node without rows has nothing to protect, and the least share. Replacing the k rows of a person one after
// the other moves a mean by at most k times what one of them does, and no further than all rows of a node.
func (h *Holdings) RecordShares(of func(rows int) int) (*noise.Shares, error) {
	shares, err := h.shares(of)
	if shares == nil || err != nil {
		return nil, err
	}
	return noise.NewShares(shares), nil
}

// SampledShares are those of Poisson samples of what RecordShares has whole: each row of a
// node with so many is in with the probability that rate says, above 0 and at most 1.
func (h *Holdings) SampledShares(of func(rows int) int, rate func(rows int) float64) (*noise.Shares, error) {
	shares, err := h.shares(of)
	if err != nil {
		return nil, err
	}
	rates := make([]float64, len(shares))
	for v := range shares {
		rates[v] = rate(max(1, h.Rows(v)))
		shares[v] *= (1 + 0x1p-51) / rates[v]
	}
	return noise.NewPoissonShares(shares, rates), nil
}

func (h *Holdings) shares(of func(rows int) int) ([]float64, error) {
	if !h.Spec.Records() {
		return nil, nil
	}
	shares, least := make([]float64, h.Spec.Nodes), 1.0
	for v := range shares {
		rows := h.Rows(v)
		if rows > noise.MostRecords {
			return nil, fault.New(fmt.Sprintf("%s holds %d rows", h.Name(v), rows),
				fmt.Sprintf("with privacy.unit: record at most %d are added up precisely enough", noise.MostRecords))
		}
		if rows > 0 {
			shares[v] = min(noise.Share(1), float64(h.Spec.RecordRows())*noise.Share(of(rows)))
			least = min(least, shares[v])
		}
	}
	for v, share := range shares {
		if share == 0 {
			shares[v] = least
		}
	}
	return shares, nil
}
