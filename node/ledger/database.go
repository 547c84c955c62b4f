package ledger

import (
	"errors"
	"fmt"

	"github.com/ncruces/go-sqlite3"

	"github.com/hearsay-dp/hearsay/internal/math"
)

// A database is SQLite with statements prepared once. It turns what SQLite's
// reader does with hostile bytes, a panic included, into an error.
type database struct {
	conn     *sqlite3.Conn
	prepared map[string]*sqlite3.Stmt
}

// connect opens an existing file for this process alone.
func connect(path string, flags sqlite3.OpenFlag) (db *database, err error) {
	defer trap(&err)
	conn, err := sqlite3.OpenFlags(path, flags|sqlite3.OPEN_READWRITE)
	if err != nil {
		return nil, err
	}
	return &database{conn: conn, prepared: map[string]*sqlite3.Stmt{}}, nil
}

// settings make every commit durable, keep other processes out, and trust
// nothing that the file says about itself. Pages of half a megabyte are kept in memory:
// commits write at the ends of tables, and need no more.
var settings = []string{
	"PRAGMA trusted_schema = OFF", "PRAGMA cell_size_check = ON", "PRAGMA locking_mode = EXCLUSIVE",
	"PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL", "PRAGMA journal_size_limit = 4194304", "PRAGMA cache_size = -512",
}

// inForce is what must be true of a connection before it is used: 2 is FULL.
var inForce = map[string]string{
	"PRAGMA journal_mode": "wal", "PRAGMA synchronous": "2", "PRAGMA locking_mode": "exclusive",
}

func (db *database) exec(statements ...string) (err error) {
	defer trap(&err)
	for _, s := range statements {
		if err := db.conn.Exec(s); err != nil {
			return err
		}
	}
	return nil
}

// run executes a statement with its values.
func (db *database) run(statement string, values ...any) error {
	return db.query(statement, nil, values...)
}

// query calls row for every row of a statement's result.
func (db *database) query(statement string, row func(*sqlite3.Stmt) error, values ...any) (err error) {
	defer trap(&err)
	s, err := db.prepare(statement)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Reset()) }()
	for i, v := range values {
		if err := bind(s, i+1, v); err != nil {
			return err
		}
	}
	for s.Step() {
		if err := row(s); err != nil {
			return err
		}
	}
	return nil // Reset tells what went wrong
}

func (db *database) prepare(statement string) (*sqlite3.Stmt, error) {
	if s := db.prepared[statement]; s != nil {
		return s, nil
	}
	s, _, err := db.conn.Prepare(statement)
	if err == nil {
		db.prepared[statement] = s
	}
	return s, err
}

// bind gives a statement the value of its i-th parameter.
func bind(s *sqlite3.Stmt, i int, value any) error {
	switch v := value.(type) {
	case int64:
		return s.BindInt64(i, v)
	case float64:
		return s.BindFloat(i, v)
	case string:
		return s.BindText(i, v)
	case Digest:
		return s.BindBlob(i, v[:])
	case []byte:
		if len(v) == 0 {
			return s.BindZeroBlob(i, 0) // an empty blob, not a NULL
		}
		return s.BindBlob(i, v)
	}
	panic(fmt.Sprintf("ledger: cannot store a %T", value))
}

func (db *database) close() (err error) {
	defer trap(&err)
	for _, s := range db.prepared {
		s.Close()
	}
	return db.conn.Close()
}

// trap makes an error of a panic in SQLite.
func trap(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("sqlite cannot read it: %v", p)
	}
}

// digestAt is a column that must hold a hash.
func digestAt(s *sqlite3.Stmt, column int) (Digest, error) {
	b := s.ColumnRawBlob(column)
	if len(b) != len(Digest{}) {
		return Digest{}, fmt.Errorf("a hash of %d bytes: %w", len(b), ErrDamaged)
	}
	return Digest(b), nil
}

// unsigned is a column that must not be negative, within 0..limit.
func unsigned(s *sqlite3.Stmt, column int, limit int64) (int64, error) {
	x := s.ColumnInt64(column)
	if x < 0 || x > limit {
		return 0, fmt.Errorf("%s %d is out of range: %w", s.ColumnName(column), x, ErrDamaged)
	}
	return x, nil
}

const anyEpoch = math.MaxInt64
