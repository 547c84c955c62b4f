package dossier

import (
	"github.com/hearsay-dp/hearsay/federation"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/report"
)

// Format is the format that the numbers of a dossier name. Read refuses any other.
const Format = "hearsay dossier 4"

// The subjects of a dossier.
const (
	Planned   = "planned"   // a spec, before anything runs
	Simulated = "simulated" // the folder of hearsay run
	Joined    = "joined"    // the folder of a participant's node
)

// A Dossier holds everything that its page shows. The release, the spec, the pairs in Asks and the
// statements in Said determine it. For a node's run the facts that the node signed do too.
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
	Shown     bool   `json:"model_shown"`     // the spec lets everybody have the final model
	Whose     string `json:"whose,omitempty"` // participant to which all losses belong; "": losses of all participants

	Columns     []Column `json:"columns"`        // of a participant's table, at most mostColumns
	ColumnCount int      `json:"column_count"`   // number of columns in the spec
	Said        []Said   `json:"said,omitempty"` // stated by the maker of the dossier

	Participants []Participant `json:"participants"` // by falling loss, at most mostRows
	Count        int           `json:"count"`        // of participants
	Looked       int           `json:"looked_at"`    // number of participants whose losses were computed; fewer than Count if there are many
	Pair         []Pair        `json:"worst_pairs"`
	Mean         Number        `json:"mean"` // over the pairs whose losses were computed
	Parties      []Party       `json:"whom_to_trust"`
	Claim        Claim         `json:"claim"`
	Trust        []string      `json:"trusted"`
	Without      Exposure      `json:"without_noise"`
	Questions    []Question    `json:"questions"` // about single pairs, with their answers
	Outcome      []Fact        `json:"outcome"`   // results of a run, finished or not
	Compared     bool          `json:"compared"`  // Outcome compares with models trained without noise, and alone
	Run          Run           `json:"run"`
	Sources      []string      `json:"sources"`    // origin of the numbers
	Others       string        `json:"other_runs"` // a sentence on other runs on the same rows
	Notes        []string      `json:"notes"`

	Hash string `json:"spec_hash,omitempty"` // of a federation's spec, which its nodes compare
	Spec string `json:"spec"`                // resolved
	Asks []Ask  `json:"asks"`                // pairs in Questions; nodes of a simulation by the shortest name that finds them

	Facts *federation.Attested `json:"facts,omitempty"` // that only the node knows; nil unless About is Joined
}

// Claim holds the privacy claim of a dossier.
type Claim struct {
	Accountant  string        `json:"accountant"`
	Status      report.Status `json:"status"`
	Observer    string        `json:"observer"`         // observers to which the losses apply (privacy.Observer)
	Model       bool          `json:"model_charged"`    // the losses also hold if everybody sees the final model
	Unit        string        `json:"unit"`             // participant or record
	Record      string        `json:"record,omitempty"` // in words
	Metric      string        `json:"metric"`
	Delta       float64       `json:"delta,omitempty"`
	Sigma       float64       `json:"sigma"`
	Worst       Number        `json:"worst"`
	Guess       float64       `json:"guess,omitempty"`         // bound on the probability that any one other guesses right at even odds; 0: not known
	Beyond      Number        `json:"worst_beyond_neighbours"` // towards non-neighbours; NaN: there are none, or it is not known
	Assumptions []string      `json:"assumptions"`
	Simulated   bool          `json:"simulated"` // noise was drawn from a seed and protects nobody
}

// Participant holds the facts and losses of one participant.
type Participant struct {
	Name       string `json:"name"`
	Key        string `json:"key,omitempty"`
	Rows       int    `json:"rows,omitempty"`
	Neighbours int    `json:"neighbours"` // -1: not known
	Worst      Number `json:"worst"`      // towards one other; NaN: not computed
	Towards    string `json:"towards,omitempty"`
	Everybody  Number `json:"everybody"` // towards all others together, whatever they do; NaN: not known
}

// Pair holds the loss of one participant towards one observer.
type Pair struct {
	About    string `json:"about"`
	Observer string `json:"observer"`
	Hops     int    `json:"hops"` // -1: not known, or no path
	Epsilon  Number `json:"epsilon"`

	about, observer int // their node numbers
}

// A Party holds the loss of the worst participant towards one kind of observer.
type Party struct {
	Who     string        `json:"who"`
	If      string        `json:"if"` // assumption about the observer
	Epsilon Number        `json:"epsilon"`
	Guess   float64       `json:"guess,omitempty"` // as Claim.Guess, towards this observer; 0: not known
	Status  report.Status `json:"status"`
	About   string        `json:"about,omitempty"` // participant with this loss
	Members []string      `json:"members,omitempty"`
	Spent   Number        `json:"spent"` // loss so far, by the ledger; NaN: not known
}

// Exposure says who could reconstruct whom if nobody added noise.
type Exposure struct {
	How     string    `json:"how"`            // values that can be computed, and by whom, in words
	Each    []Exposed `json:"each,omitempty"` // most exposed first, at most mostRows
	Nobody  int       `json:"nobody"`         // number of participants that no single other can reconstruct
	Missing string    `json:"missing,omitempty"`
}

// Exposed holds the exposure of one participant without noise.
type Exposed struct {
	Name  string   `json:"name"`
	Alone []string `json:"alone"` // who could reconstruct it alone, at most mostNames
	Count int      `json:"count"`
}

// A Question holds the answer about one pair, in words.
type Question struct {
	Ask
	Epsilon Number             `json:"epsilon"`
	Delta   float64            `json:"delta"`
	Status  report.Status      `json:"status"`
	Text    []family.Paragraph `json:"text"`
	Assumes []string           `json:"assumptions"`
}

// Ask names a pair of participants.
type Ask struct {
	About    string `json:"about"`
	Observer string `json:"observer"`
}

// A Fact is one labelled line, about a run or a command.
type Fact struct {
	What  string `json:"what"`
	Value string `json:"value"`
}

// Run holds the length of the run.
type Run struct {
	Turns         int64  `json:"turns"`
	Contributions int    `json:"contributions"` // of a participant, at most; 0: not stated
	Hours         Number `json:"hours"`         // after which nodes stop; NaN: not stated
}

// The maximal lengths of lists on a page. They let a page print on five sheets for any number of
// participants.
const (
	mostRows  = 12
	mostPairs = 6
	mostNames = 6
)
