package gossip

import (
	"slices"

	"github.com/hearsay-dp/hearsay/algo/rollcall"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/step"
)

// voteOfRun is the purpose of signatures of votes.
const voteOfRun = "vote of a run"

// signature is the length of a vote's signature.
const signature = noise.SignedSize - noise.ShownSize

// A notary signs votes for a run, and checks those of others. A vote has the digest of its voter's key of the run, so that it
// counts in no other run of the specification.
type notary struct {
	by   noise.Introduced
	self step.NodeID
	keys [][]float64 // by node, nil: not known yet
}

// Sign implements rollcall.Notary.
func (n notary) Sign(round int, out step.NodeID) []float64 {
	return n.by.Signed(voteOfRun, n.said(round, out, n.keys[n.self]))[noise.ShownSize:]
}

// Signed implements rollcall.Notary.
func (n notary) Signed(round int, v rollcall.Vote) bool {
	return len(v.Signature) == signature && n.keys[v.By] != nil && n.by.Vouched(voteOfRun, v.By, slices.Concat(n.said(round, v.Out, n.keys[v.By]), v.Signature))
}

// said returns the statement that a voter with a key of the run signs.
func (n notary) said(round int, out step.NodeID, key []float64) []float64 {
	return n.by.Digest([][]float64{statement(round, out), key})
}

// statement writes a vote in numbers of 16 bits.
func statement(round int, out step.NodeID) []float64 {
	s := make([]float64, noise.ShownSize)
	for i := range 4 {
		s[i] = float64(uint64(round) >> (16 * i) & 0xffff)
	}
	s[4], s[5] = float64(uint32(out)&0xffff), float64(uint32(out)>>16)
	return s
}

// packed writes votes against one node, each as its voter and signature.
func packed(votes []rollcall.Vote) (body []float64) {
	for _, v := range votes {
		body = append(append(body, float64(v.By)), v.Signature...)
	}
	return body
}

// unpacked reads votes against a node. It leaves out malformed ones.
func unpacked(out step.NodeID, body []float64) (votes []rollcall.Vote) {
	for entry := range slices.Chunk(body, 1+signature) {
		if by := entry[0]; len(entry) == 1+signature && by >= 0 && by < 1<<31 && by == float64(step.NodeID(by)) {
			votes = append(votes, rollcall.Vote{Out: out, By: step.NodeID(by), Signature: entry[1:]})
		}
	}
	return votes
}
