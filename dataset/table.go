package dataset

// Task is the kind of the labels of a table.
type Task string

// The tasks.
const (
	Classification Task = "classification" // two classes: -1 and +1; more: 0..k-1
	Regression     Task = "regression"     // a number
	Mean           Task = "mean"           // no label: the rows themselves are averaged
)

// A Table is a source in memory, before any scaling: row i is Row(i) with
// label Y[i].
type Table struct {
	Source, Target string
	Task           Task
	Features       []string  // column names
	X              []float64 // rows x len(Features), row-major, finite
	Y              []float64 // labels, see Task
	Classes        []string  // the meaning of the labels -1, +1 (or 0..k-1); nil unless Classification

	Group      string   // name of the natural grouping ("hospital"), "" if none
	Groups     []int32  // natural group of each row, nil if none
	GroupNames []string // names of the groups
	Persons    []int32  // whose each row is, numbered as they come; nil: every row is a record of its own

	OwnTest int        // the last OwnTest rows are the source's own test part
	Missing []Missing  // columns with missing values, in the order of the file
	Dropped int        // rows left out because a value was missing
	Files   []FileRead // the files the table was read from
	Notes   []string   // facts about this source that a reader of results must know
	Grounds []string   // quantities computed from all rows, or read off them; see Federation
}

// Missing counts the rows of a file that have no value in a column.
type Missing struct {
	Column string `json:"column"`
	Rows   int    `json:"rows"`
}

// Rows returns the number of rows.
func (t *Table) Rows() int { return len(t.Y) }

// Row returns the features of row i, borrowed.
func (t *Table) Row(i int) []float64 {
	d := len(t.Features)
	return t.X[i*d : (i+1)*d : (i+1)*d]
}

// column returns the index of a feature, or -1.
func (t *Table) column(name string) int {
	for j, f := range t.Features {
		if f == name {
			return j
		}
	}
	return -1
}

// Block is examples without an owner: row i is X[i*Features:(i+1)*Features]
// with label Y[i]. It converts to model.Examples.
type Block struct {
	Features int
	X, Y     []float64
}

// Rows returns the number of examples.
func (b Block) Rows() int { return len(b.Y) }

// Row returns the features of example i, borrowed.
func (b Block) Row(i int) []float64 {
	return b.X[i*b.Features : (i+1)*b.Features : (i+1)*b.Features]
}

// Shards holds the rows of all nodes in one slab: node v owns the rows
// Offsets[v] to Offsets[v+1].
type Shards struct {
	Features int
	X        []float64 // rows x Features, row-major
	Y        []float64
	Offsets  []int // len Nodes()+1, from 0 to len(Y), never decreasing
}

// Nodes returns the number of nodes.
func (s *Shards) Nodes() int { return len(s.Offsets) - 1 }

// Shard returns the rows and labels of node v, borrowed.
func (s *Shards) Shard(v int) (x, y []float64) {
	a, b := s.Offsets[v], s.Offsets[v+1]
	return s.X[a*s.Features : b*s.Features : b*s.Features], s.Y[a:b:b]
}

// equalOffsets returns the offsets of shards that all have the same length.
func equalOffsets(nodes, rows int) []int {
	offsets := make([]int, nodes+1)
	for v := range offsets {
		offsets[v] = v * rows
	}
	return offsets
}
