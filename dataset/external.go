package dataset

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
)

// External names the source of rows that another program holds. Its table holds their numbers.
const External = "external"

// rowNumber names the one feature of such a table.
const rowNumber = "row"

// mostHeld is the largest number of rows that a program may hold. Smaller numbers are whole in every floating point.
const mostHeld = 1 << 30

// checkExternal reports wishes that only the program could fulfil.
func (o *Options) checkExternal() error {
	switch {
	case o.TrainRows < 1 || o.TrainRows > mostHeld:
		return fault.New(fmt.Sprintf("data.train_rows: %d", o.TrainRows), fmt.Sprintf("give how many rows the program holds to learn from, 1 to %d", mostHeld))
	case o.TestRows < 0 || o.TestRows > mostHeld:
		return fault.New(fmt.Sprintf("data.test_rows: %d", o.TestRows), fmt.Sprintf("give how many rows it holds for testing, 0 to %d", mostHeld))
	case o.Task != Mean || o.Target != "" || len(o.Drop) > 0:
		return fault.New("data: what rows of an external source are only the program knows", "leave out task, target and drop; model.task says what is learnt")
	case o.Scale != "none" || o.Normalise != "none":
		return fault.New("data: rows of an external source are scaled by the program", "leave out scale, ranges and normalise")
	case o.Partition != "uniform":
		return fault.New(fmt.Sprintf("data.partition: %s looks at rows, which only the program has", o.Partition), "use partition: uniform")
	}
	return nil
}

// numbered returns a table of row numbers: training rows first, and then test rows.
func (o *Options) numbered() *Table {
	t := &Table{Source: External, Task: Mean, Features: []string{rowNumber}, OwnTest: o.TestRows,
		Notes: []string{"Rows stay in the program that answers for the model: Hearsay knows their numbers."}}
	for i := range o.TrainRows + o.TestRows {
		t.X, t.Y = append(t.X, float64(i)), append(t.Y, 0)
	}
	return t
}

// Numbered returns the shard of a participant whose program holds train training rows and test test rows.
func Numbered(train, test int) *Shard {
	numbers := func(from, count int) Block {
		b := Block{Features: 1}
		for i := range count {
			b.X, b.Y = append(b.X, float64(from+i)), append(b.Y, 0)
		}
		return b
	}
	return &Shard{Train: numbers(0, train), Test: numbers(train, test)}
}
