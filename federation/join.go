package federation

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hearsay-dp/hearsay/internal/family"

	ma "github.com/multiformats/go-multiaddr"

	"github.com/hearsay-dp/hearsay/dataset"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/textfile"
	"github.com/hearsay-dp/hearsay/internal/visible"
	"github.com/hearsay-dp/hearsay/node"
	"github.com/hearsay-dp/hearsay/node/identity"
	"github.com/hearsay-dp/hearsay/node/ledger"
	"github.com/hearsay-dp/hearsay/node/policy"
	"github.com/hearsay-dp/hearsay/node/transport"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/step"
)

// The files in a participant's folder.
const (
	LedgerFile    = "ledger.db"
	StatementFile = "statement.json"
	statementText = "statement.txt"
	ReportFile    = "report.json"
	ModelFile     = "model.json"
	PageFile      = "report.html"
	MetricsFile   = "metrics.json" // of the model on rows that this participant kept to itself
	specFile      = "spec.yaml"
	joinedFile    = "joined.json"
)

// Options holds the inputs of a participant besides the spec.
type Options struct {
	Key    identity.Key
	Policy *policy.Policy
	From   Purse  // its budget book; Join computes the table's fingerprint from Data
	Data   string // its CSV file
	Dir    string // folder of its ledger and results, created if missing
	// NewTable lets the run continue with a table other than the one of the last start.
	NewTable bool
	By       string         // column with categories by which test rows are scored; "": none
	NotLeft  string         // a participant that was said to have left, and has not; "": nobody
	Leave    node.Leave     // how the participant leaves the run (Federation.Leave)
	Tell     time.Duration  // maximal time that a participant who leaves tells its neighbours; 0: federation.linger
	Listen   []ma.Multiaddr // nil: the addresses that the spec lists
	Status   string         // host:port of the health endpoint; "": none
	// StatusHosts lists further host names under which the endpoint answers, such as a container's.
	StatusHosts []string
	Log         *slog.Logger
	Now         func() time.Time
	Say         func(what string) // called with a text at each stage; may be nil

	// Running is called once the node exists, with a function that returns its status; may be nil.
	Running func(status func() node.Status)

	plan *Plan
}

// Join takes part in the run. It checks the plan against the policy, reads the data, and continues
// from the ledger in Dir if there is one. Join returns at the end of the run, of ctx, or at the
// spec's deadline. Dir then holds the statement, the report and the page. Dir also holds the model
// if the run has ended, or if every participant has its own model all the time. The outcome is not
// nil if the node ran and its ledger could be read, even if Join returns an error.
func (f *Federation) Join(ctx context.Context, o Options) (*Outcome, error) {
	if err := f.checkFolder(o.Dir); err != nil {
		return nil, err
	}
	if o.NotLeft != "" && (o.NotLeft == f.Name() || !slices.Contains(f.Names, o.NotLeft)) {
		return nil, fault.New("--not-left "+o.NotLeft+" is no other participant", "one of "+strings.Join(f.Names, ", "))
	}
	if err := f.checkBy(o.By); err != nil {
		return nil, err
	}
	plan, err := f.consent(ctx, &o)
	if err != nil {
		return nil, err
	}
	shard, err := f.Read(o.Data, f.Spec.Data.Test.Share)
	if err != nil {
		return nil, err
	}
	if err := f.checkRows(shard, o.Data); err != nil {
		return nil, err
	}
	if o.From.Table, err = Fingerprint(o.Key, o.Data); err != nil {
		return nil, err
	}
	if shard.Train.Rows() > mostRows {
		return nil, fault.New(fmt.Sprintf("%s: %d rows to learn from are more than the %d that the price of the noise's grid is for", o.Data,
			shard.Train.Rows(), mostRows), "use fewer rows")
	}
	o.say(f.rows(shard))
	return f.takePart(ctx, &o, plan, shard)
}

// takePart runs the node until its run or ctx ends, and writes the results. It writes none if the ledger lacks releases, because a
// statement from it would be too small.
func (f *Federation) takePart(ctx context.Context, o *Options, plan *Plan, shard *dataset.Shard) (*Outcome, error) {
	deadline, err := f.prepareDir(o)
	if err != nil {
		return nil, err
	}
	machine := f.Machine(shard, o.Key)
	status, err := f.run(ctx, o, machine, deadline)
	if errors.Is(err, node.ErrForgotten) {
		return nil, forgot(o.Dir, err)
	}
	if status == nil {
		return nil, err
	}
	outcome, failed := f.conclude(o, plan, shard, machine, *status)
	if err == nil {
		err = failed
	}
	return outcome, err
}

// consent computes the plan and refuses it if the policy objects. A participant who leaves is not
// refused.
func (f *Federation) consent(ctx context.Context, o *Options) (*Plan, error) {
	if o.Key.Peer() != f.Peer() {
		return nil, fault.New(fmt.Sprintf("the key is that of %s, and the spec lists %s for %s", o.Key.Peer(), f.Peer(), f.Name()),
			"give the key file of this participant, or have the spec changed for everybody")
	}
	if err := f.checkSigned(); err != nil {
		return nil, err
	}
	o.say("computing what joining would cost")
	plan, err := f.Plan(ctx, o.Policy.Sizes()...)
	o.plan = plan
	if err != nil || o.Leave != node.Remains {
		return plan, err
	}
	return plan, plan.Refusal(plan.Objections(o.Policy))
}

func (o *Options) say(what string) {
	if o.Say != nil {
		o.Say(what)
	}
}

// rows returns a sentence on the rows that were read, with warnings for the operator.
func (f *Federation) rows(s *dataset.Shard) string {
	text := fmt.Sprintf("%d rows to learn from, %d kept for testing", s.Train.Rows(), s.Test.Rows())
	if s.Persons > 0 {
		text += fmt.Sprintf(", of %d persons", s.Persons)
	}
	return strings.Join(append([]string{text}, limited(s, f.shape.Persons)...), "; ")
}

// limited lists the columns with values out of range or missing, and the number of values changed
// or rows left out.
func limited(s *dataset.Shard, p dataset.Persons) (lines []string) {
	if text := s.Spare.Words(p); text != "" {
		lines = append(lines, text)
	}
	if s.Dropped > 0 {
		lines = append(lines, fmt.Sprintf("rows left out for a missing value: %d", s.Dropped))
	}
	for _, l := range s.Filled {
		lines = append(lines, fmt.Sprintf("column %s: missing values filled in as the spec says: %d", l.Column, l.Values))
	}
	for _, l := range s.Limited {
		lines = append(lines, fmt.Sprintf("values of column %s out of its range, moved to its end: %d", l.Column, l.Values))
	}
	return lines
}

// joined is the record of the first start in a folder.
type joined struct {
	Participant string    `json:"participant"`
	Spec        string    `json:"spec"`
	Joined      time.Time `json:"joined"`
}

// checkFolder returns an error if dir holds another run. Join calls it before any computation.
func (f *Federation) checkFolder(dir string) error {
	var first joined
	if err := readJSON(filepath.Join(dir, joinedFile), &first); err != nil {
		return nil // prepareDir says what is wrong with it
	}
	if first.Spec != fmt.Sprintf("%x", f.Hash) || first.Participant != f.Name() {
		return f.otherRun(dir, first.Participant, first.Spec)
	}
	return nil
}

// otherRun returns the error for a folder in which a participant took part in the run of another
// spec.
func (f *Federation) otherRun(dir, name, spec string) error {
	return fault.New(fmt.Sprintf("%s holds what %.63q released in the run of spec %.8s, and this is %s with spec %x", dir, name, spec, f.Name(), f.Hash[:4]),
		fmt.Sprintf("a changed spec is a new federation: give it a folder of its own with --dir %s, and count the losses of both", textfile.Quoted(fmt.Sprintf("%s-%x", filepath.Clean(dir), f.Hash[:4]))))
}

// prepareDir creates the folder with the resolved spec. It returns the time at which this node must
// stop; zero: never.
func (f *Federation) prepareDir(o *Options) (deadline time.Time, err error) {
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return deadline, fault.Wrap(err, "cannot make the folder of the ledger", "give a folder that can be written with --dir")
	}
	text, err := f.Spec.YAML()
	if err != nil {
		return deadline, err
	}
	path := filepath.Join(o.Dir, joinedFile)
	first := joined{Participant: f.Name(), Spec: fmt.Sprintf("%x", f.Hash), Joined: o.Now().UTC()}
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		if err := errors.Join(writeFile(filepath.Join(o.Dir, specFile), text), writeJSON(path, first)); err != nil {
			return deadline, fault.Wrap(err, "cannot write to "+o.Dir, "check that the folder can be written and is not full")
		}
	} else if err := readJSON(path, &first); err != nil {
		return deadline, fault.Wrap(err, path, "it says when this participant first joined; restore it from a copy")
	}
	if limit := f.Spec.Federation.Deadline; limit > 0 {
		deadline = first.Joined.Add(limit)
	}
	return deadline, nil
}

var errDeadline = errors.New("the run has not ended")

// run runs the daemon. A nil status means that the daemon did not start.
func (f *Federation) run(ctx context.Context, o *Options, m family.Machine, deadline time.Time) (*node.Status, error) {
	if !deadline.IsZero() {
		late := fmt.Errorf("%w within %v of joining", errDeadline, f.Spec.Federation.Deadline)
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, deadline.Sub(o.Now()), late)
		defer cancel()
	}
	n, listens, err := f.daemon(o, m)
	if err != nil {
		return nil, err
	}
	if note := visible.AlikeNote(f.Names); note != "" {
		o.Log.Warn(note)
	}
	o.Log.Info("listening", "addresses", listens)
	if o.Running != nil {
		o.Running(n.Status)
	}
	server, err := serve(o, n, listens)
	if err != nil {
		o.Log.Warn("no health endpoint", "error", err)
	}
	err = n.Run(ctx)
	server.stop()
	status := n.Status()
	if err != nil && ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		err = f.stopped(context.Cause(ctx))
	}
	return &status, err
}

// stopped is why a node has not run to the end of the run. Its deadline counts from the first start, so another start is no way on.
func (f *Federation) stopped(cause error) error {
	hint := "start it again with the same --dir to go on"
	if errors.Is(cause, errDeadline) {
		hint = "federation.deadline in the spec says so, and what it learnt is kept; a longer one is a new federation"
	}
	return fault.Wrap(cause, f.Name()+" stopped before the end of the run", hint)
}

// daemon opens the ledger and the network and makes the node. It also returns the addresses on
// which the node listens.
func (f *Federation) daemon(o *Options, m family.Machine) (n *node.Node, listens []string, err error) {
	book, err := f.openLedger(o)
	if err != nil {
		return nil, nil, err
	}
	used, err := f.usesOf(book)
	if err != nil {
		return nil, nil, errors.Join(err, book.Close())
	}
	config, err := f.transport(o)
	if err != nil {
		return nil, nil, errors.Join(err, book.Close())
	}
	links, err := transport.NewLibp2p(config)
	if err != nil {
		return nil, nil, errors.Join(err, book.Close())
	}
	for _, address := range links.Addrs() {
		listens = append(listens, address.String())
	}
	n, err = node.New(node.Config{
		Self: f.Self, Names: f.Names, Neighbours: f.Neighbours(), Machine: m.Durable, Turns: step.Turn(f.setup.Algorithm.Turns()), Tokens: f.Spec.Algorithm.Tokens, Params: f.longest(), Introductions: f.introduced() + f.repeated(),
		Spec: f.Hash, Fields: f.fields, Transport: links, Ledger: book, Table: o.From.Table, Tick: f.Spec.Federation.Tick, Linger: f.linger(o),
		Secret: o.Key.Derive("what neighbours remember of this node's ledger"), Grace: f.grace(), Log: o.Log, Now: o.Now,
		Silence: f.Spec.Federation.Silence, Pace: f.Spec.Federation.Pace, Gate: used.gate(f.mostUses(o, used)), Answer: f.answer,
		Leave: o.Leave, NotLeft: o.NotLeft, GoesOn: f.Spec.GoesOn(),
	})
	if err != nil {
		return nil, nil, errors.Join(err, links.Close(), book.Close())
	}
	return n, listens, nil
}

// longest returns the maximal count of numbers in a message: the size of the model, of a key,
// which may be signed, or of a message about participants who are missing.
func (f *Federation) longest() int {
	about, _ := f.calls()
	if f.introduced() > 0 {
		return max(f.Params(), noise.SignedSize, about)
	}
	return max(f.Params(), noise.ShownSize, about)
}

// repeated returns how many messages about missing participants a node may repeat to each neighbour.
func (f *Federation) repeated() int {
	_, repeated := f.calls()
	return repeated
}

func (f *Federation) calls() (longest, repeated int) {
	if caller, ok := f.setup.Algorithm.(family.Caller); ok {
		return caller.Calls()
	}
	return 0, 0
}

// introduced returns how many introductions pass between neighbours before the run. Where secrets have a graph of their
// own, these are a key and a signature of all keys by each participant. Otherwise introduced returns 0.
func (f *Federation) introduced() int {
	sharer, ok := f.setup.Algorithm.(family.Sharer)
	if !ok || sharer.Secrets() == nil || sharer.Secrets() == f.setup.Graph {
		return 0
	}
	return 2 * len(f.Names)
}

// grace returns how long a restarted node waits until its neighbours confirm that its ledger has
// lost nothing. Zero means without limit. A run that goes on without silent participants sets a limit. Half
// of their patience is left for this node's next value.
func (f *Federation) grace() time.Duration {
	real := f.Spec.Federation
	if f.Spec.FollowsFailures() {
		return max(real.Patience, real.Lease)
	}
	return real.Patience / 2
}

// openLedger opens the ledger in the folder and verifies all of it. Without one it charges the
// budget book and creates a ledger.
func (f *Federation) openLedger(o *Options) (*ledger.Ledger, error) {
	path := filepath.Join(o.Dir, LedgerFile)
	if _, err := os.Lstat(path); err == nil {
		book, err := ledger.Open(path)
		if err != nil {
			return nil, err
		}
		if owner := book.Federation(); owner.Spec != f.Hash || owner.ID != f.Self {
			err = f.otherRun(o.Dir, owner.Node, fmt.Sprintf("%x", owner.Spec))
		} else if err = f.sound(book); err == nil {
			err = errors.Join(checkForgotten(book), o.checkLeft(book), o.checkTable(book))
		}
		return f.begun(o, book, err)
	}
	charged, err := f.Charge(o.plan, o.Policy, o.From, o.Now())
	if err != nil {
		return nil, err
	}
	book, err := ledger.Create(path, ledger.Federation{Name: f.Spec.Name, Spec: f.Hash, Node: f.Name(), ID: f.Self, Policy: o.Policy.Text, Book: charged.Mark})
	if err != nil {
		return nil, err
	}
	return f.begun(o, book, nil)
}

// begun enters a run's ledger in the budget book and writes the other runs of that book to the folder. A
// participant who leaves is not charged, because its run is charged already. begun closes the ledger if err
// is not nil or a step fails.
func (f *Federation) begun(o *Options, run *ledger.Ledger, err error) (*ledger.Ledger, error) {
	if err == nil && o.Leave != node.Remains { // it is charged already, and uses no more
		return run, nil
	}
	var charged Charged
	if err == nil {
		charged, err = f.charge(o.plan, o.Policy, o.From, run, o.Now())
	}
	if err == nil {
		err = writeJSON(filepath.Join(o.Dir, OtherRunsFile), charged.Others)
	}
	if err != nil {
		return nil, errors.Join(err, run.Close())
	}
	return run, nil
}

func (f *Federation) transport(o *Options) (transport.Config, error) {
	listen, err := listenable(f.addresses[f.Self])
	if o.Listen != nil {
		listen = o.Listen
	}
	c := transport.Config{Self: f.Self, Key: o.Key, Listen: listen, MaxFrame: node.MaxFrame(f.longest())}
	behind := f.behind(int(f.Self))
	if behind {
		c.Relays, c.HolePunch = f.relays, !f.Spec.Federation.RelayOnly
		if c.HolePunch && o.Listen == nil {
			c.Listen, err = Addresses(anywhere)
		}
	}
	for _, v := range f.Neighbours() {
		n := transport.Neighbour{ID: v, Peer: f.Peers[v], Addrs: f.addresses[v]}
		if behind && f.behind(int(v)) {
			n.Addrs = f.throughRelays()
		}
		c.Neighbours = append(c.Neighbours, n)
	}
	return c, err
}
