package dossier

import (
	"github.com/hearsay-dp/hearsay/federation"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/report"
)

// Format is what the numbers of a dossier say they are; another one is refused.
const Format = "hearsay dossier 3"

// What a dossier can be about.
const (
	Planned   = "planned"   // a spec, before anything runs
	Simulated = "simulated" // the folder of hearsay run
	Joined    = "joined"    // the folder of a participant's node
)

// A Dossier is all that its page shows. It follows from the release, the spec, the pairs that were
// asked about and, of a node's run, the facts that the node has signed.
type Dossier struct {
	Format  string `json:"format"`
	About   string `json:"about"`
	Version string `json:"version"`

	Name      string `json:"name"`
	Kind      string `json:"kind"`
	Model     string `json:"model"`
	Target    string `json:"target,omitempty"`
	Story     string `json:"story"`
	Federated bool   `json:"federated"`
	Whose     string `json:"whose,omitempty"` // the participant whose losses alone these are; "": all participants'

	Columns     []Column `json:"columns"`        // of a participant's table, of many the first
	ColumnCount int      `json:"column_count"`   // that the spec names
	Said        []Said   `json:"said,omitempty"` // by whoever made the dossier

	Participants []Participant `json:"participants"` // who lose most first, of many the first
	Count        int           `json:"count"`        // of participants
	Looked       int           `json:"looked_at"`    // at whose losses; fewer than Count where they are many
	Pair         []Pair        `json:"worst_pairs"`
	Mean         Number        `json:"mean"` // over the pairs that were looked at
	Parties      []Party       `json:"whom_to_trust"`
	Claim        Claim         `json:"claim"`
	Trust        []string      `json:"trusted"`
	Without      Exposure      `json:"without_noise"`
	Questions    []Question    `json:"questions"` // about single pairs
	Outcome      []Fact        `json:"outcome"`   // of what has run
	Compared     bool          `json:"compared"`  // with models that were trained without noise, and alone
	Run          Run           `json:"run"`
	Sources      []string      `json:"sources"`    // what is from where
	Others       string        `json:"other_runs"` // what is known of other runs on the same rows
	Notes        []string      `json:"notes"`

	Hash string `json:"spec_hash,omitempty"` // of a federation, which its nodes compare
	Spec string `json:"spec"`                // resolved
	Asks []Ask  `json:"asks"`                // the pairs that were asked about, each by the shortest that names a node

	Facts *federation.Attested `json:"facts,omitempty"` // of a node's run, which only the node knows; nil: of anything else
}

// Claim is what the numbers are.
type Claim struct {
	Accountant  string        `json:"accountant"`
	Status      report.Status `json:"status"`
	Observer    string        `json:"observer"`         // who losses hold towards (privacy.Observer)
	Model       bool          `json:"model_charged"`    // they also hold if everybody is shown the final model
	Unit        string        `json:"unit"`             // participant or record
	Record      string        `json:"record,omitempty"` // in words
	Metric      string        `json:"metric"`
	Delta       float64       `json:"delta,omitempty"`
	Sigma       float64       `json:"sigma"`
	Worst       Number        `json:"worst"`
	Guess       float64       `json:"guess,omitempty"`         // the probability at most, towards any one other, with which a guess at even odds is right; 0: not known
	Beyond      Number        `json:"worst_beyond_neighbours"` // NaN: there are none, or it is not known
	Assumptions []string      `json:"assumptions"`
	Simulated   bool          `json:"simulated"` // noise was drawn from a seed, and protects nobody
}

// Participant is one of them.
type Participant struct {
	Name       string `json:"name"`
	Key        string `json:"key,omitempty"`
	Rows       int    `json:"rows,omitempty"`
	Neighbours int    `json:"neighbours"`
	Worst      Number `json:"worst"` // towards one other; NaN: not looked at
	Towards    string `json:"towards,omitempty"`
	Everybody  Number `json:"everybody"` // towards all others together, whatever they do; NaN: not known
}

// Pair is what an observer could learn about another.
type Pair struct {
	About    string `json:"about"`
	Observer string `json:"observer"`
	Hops     int    `json:"hops"` // -1: not known, or no way
	Epsilon  Number `json:"epsilon"`

	about, observer int // their numbers, of nodes
}

// A Party is against whom the worst participant is protected, and how far.
type Party struct {
	Who     string        `json:"who"`
	If      string        `json:"if"` // what is trusted of it
	Epsilon Number        `json:"epsilon"`
	Guess   float64       `json:"guess,omitempty"` // as Claim.Guess, towards it; 0: not known
	Status  report.Status `json:"status"`
	About   string        `json:"about,omitempty"` // the participant that loses so much
	Members []string      `json:"members,omitempty"`
	Spent   Number        `json:"spent"` // of it so far, by the ledger; NaN: nothing is known
}

// Exposure is who could reconstruct whom if nobody added noise.
type Exposure struct {
	How     string    `json:"how"`            // what can be worked out, and by whom, in words
	Each    []Exposed `json:"each,omitempty"` // most exposed first, of many the first
	Nobody  int       `json:"nobody"`         // participants whom nobody alone can reconstruct
	Missing string    `json:"missing,omitempty"`
}

// Exposed is one participant without noise.
type Exposed struct {
	Name  string   `json:"name"`
	Alone []string `json:"alone"` // who could reconstruct it alone, of many the first
	Count int      `json:"count"`
}

// A Question is about one pair, answered in words.
type Question struct {
	Ask
	Epsilon Number             `json:"epsilon"`
	Delta   float64            `json:"delta"`
	Status  report.Status      `json:"status"`
	Text    []family.Paragraph `json:"text"`
	Assumes []string           `json:"assumptions"`
}

// Ask names a pair.
type Ask struct {
	About    string `json:"about"`
	Observer string `json:"observer"`
}

// A Fact is one line of what has run.
type Fact struct {
	What  string `json:"what"`
	Value string `json:"value"`
}

// Run is how long the run is.
type Run struct {
	Turns         int64  `json:"turns"`
	Contributions int    `json:"contributions"` // of a participant at most; 0: not said
	Hours         Number `json:"hours"`         // after which nodes stop; NaN: not said
}

// Tables of a page have so many rows at most, so that it prints on four sheets however many
// participants there are.
const (
	mostRows  = 12
	mostPairs = 6
	mostNames = 6
)
