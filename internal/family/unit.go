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

// Unit returns the unit of privacy.
func (h *Holdings) Unit() privacy.Unit {
	if h.Spec.Records() {
		return privacy.Record
	}
	return privacy.Participant
}

// Rows returns the public number of rows from which node v learns. In a federation it is a lower bound, from the participant's
// declaration.
func (h *Holdings) Rows(v int) int {
	if h.Public {
		return h.Spec.RecordRows() * dataset.Learnt(h.Spec.Participants[v].Rows, h.Spec.Data.Test.Share)
	}
	return h.Examples.Examples(step.NodeID(v)).Len()
}

// Records returns the number of records in the Rows of node v.
func (h *Holdings) Records(v int) int { return h.Rows(v) / h.Spec.RecordRows() }

// PersonGround returns the assumptions of a number whose record is all rows of a person. It returns nil for other records.
func PersonGround(s *spec.Spec) []string {
	if s.Data.Person == "" {
		return nil
	}
	return []string{fmt.Sprintf("a record is all rows with one value of column %s at one participant, learnt from as exactly %d rows, so that how many there are is protected too; "+
		"who has two such values, or rows at two participants, is protected in each by itself, and not in what they let out together", s.Data.Person, s.Data.RowsPerPerson)}
}

// RecordShares returns the share of one record in each node's releases. It returns nil if the unit of privacy is all data of a
// node. of(rows) must be a lower bound on the number of rows over which a contribution of a node with rows rows is a
// mean. A node without rows has nothing to protect and gets the least share. Replacing the k rows of a person one after the
// other moves a mean by at most k times the largest change of one row, and no further than all rows of a node.
func (h *Holdings) RecordShares(of func(rows int) int) (*noise.Shares, error) {
	shares, err := h.shares(of)
	if shares == nil || err != nil {
		return nil, err
	}
	return noise.NewShares(shares), nil
}

// SampledShares returns the shares of RecordShares for Poisson samples. Each row of a node with rows rows is in a sample with
// probability rate(rows), above 0 and at most 1.
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
