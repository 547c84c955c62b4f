package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// A NodeView is the state of a participant, from its folder and its health endpoint.
type NodeView struct {
	Federation  string     `json:"federation"`
	Participant string     `json:"participant"`
	Spec        string     `json:"spec"` // hash in hexadecimal
	Joined      *time.Time `json:"joined,omitempty"`
	Running     bool       `json:"running"`
	State       string     `json:"state"` // as hearsay status shows it; "" if the node does not run
	Silent      string     `json:"silent,omitempty"`
	Turn        int64      `json:"turn"`
	Turns       int64      `json:"turns"`
	Uptime      float64    `json:"uptime_seconds"`
	Error       string     `json:"error,omitempty"`
	Token       string     `json:"token"` // last known place of the token, in a sentence
	Waits       []string   `json:"waits"` // neighbours that the node waits for, with the reason
	Warnings    []string   `json:"warnings"`
	Peers       []Peer     `json:"peers"`
	Counters    []Counter  `json:"counters"`

	Statement *Statement `json:"statement,omitempty"` // null: not computed yet
	Pending   string     `json:"pending,omitempty"`   // why there is no statement, or what it waits for
	Ledger    *Verified  `json:"ledger,omitempty"`    // null: not checked yet
}

// A Peer is a neighbour as this node sees it.
type Peer struct {
	Name      string     `json:"name"`
	Connected bool       `json:"connected"`
	State     string     `json:"state"` // agrees, differs in ..., waiting: ..., missing: ..., refused: ...
	LastSeen  *time.Time `json:"last_seen,omitempty"`
	Finished  bool       `json:"finished"`
}

// A Counter is a number that the node counts since its start.
type Counter struct {
	Name  string `json:"name"`
	Value uint64 `json:"value"`
}

// A Statement gives the allowed and the spent losses, by the ledger (federation.Statement).
type Statement struct {
	Accountant    string    `json:"accountant"`
	Status        string    `json:"status"`
	Unit          string    `json:"unit"`
	Protected     string    `json:"protected"`
	Metric        string    `json:"metric"`
	Sigma         float64   `json:"sigma"`
	Contributed   int       `json:"contributed"`
	Contributions int       `json:"contributions"` // at most
	Releases      int64     `json:"releases"`
	Towards       []Towards `json:"towards"`
	Noise         string    `json:"noise"`
	Others        string    `json:"others"` // what is known of other runs on the same rows
	Assumptions   []string  `json:"assumptions"`
	Alarm         string    `json:"alarm,omitempty"`
	Limits        []Limit   `json:"limits"` // of the policy in the ledger
	At            time.Time `json:"at"`
}

// Towards is the largest possible loss to one participant or to a coalition. Texts are
// rounded up and include their relation.
type Towards struct {
	Name      string  `json:"name"`
	Whom      string  `json:"whom"` // as in policies: neighbours, others, coalitions, everybody
	Hops      int     `json:"hops"` // -1: unreachable, or more than one participant
	Spent     string  `json:"spent"`
	Allowed   string  `json:"allowed"`
	Deviating string  `json:"deviating"`
	Limit     string  `json:"limit"` // of the policy; "": none
	Share     float64 `json:"share"` // spent share of the limit, or of the plan without a limit, in [0,1]
	Over      bool    `json:"over"`  // more is spent than the policy's limit
}

// A Limit is one line of a policy.
type Limit struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Verified is the result of checking the ledger from its first entry to its last.
type Verified struct {
	Whole    bool      `json:"whole"`
	Problem  string    `json:"problem,omitempty"`
	Entries  int64     `json:"entries"`
	Releases int64     `json:"releases"`
	Hash     string    `json:"hash"`
	At       time.Time `json:"at"`
	Seconds  float64   `json:"seconds"` // duration of the check
}

// nodePage is the data of the page of a node.
type nodePage struct {
	Entry
	*NodeView
	Files []fileView `json:"files"`
}

func (s *Server) node(r *http.Request, e Entry) (any, error) {
	if s.options.Node == nil {
		return nil, errors.New("nodes are not shown here")
	}
	v, err := s.options.Node(r.Context(), e.at.at(""))
	if err != nil {
		return nil, err
	}
	return nodePage{e, v, filesOf(e)}, nil
}

func (e *Entry) lookNode() error {
	text, err := e.at.read("joined.json", mostSmall)
	if err != nil {
		return fmt.Errorf("this folder does not say who joined: %w", err)
	}
	var joined struct{ Participant string }
	if err := json.Unmarshal(text, &joined); err != nil {
		return fmt.Errorf("joined.json: %w", err)
	}
	e.Name = clipped(joined.Participant, mostName)
	e.Facts = []string{"participant of a federation"}
	if _, running := e.at.stampOf("status.json"); running {
		e.Facts = append(e.Facts, "running")
	}
	if _, ended := e.at.stampOf("report.json"); ended {
		e.Facts = append(e.Facts, "has written its statement")
	}
	return nil
}
