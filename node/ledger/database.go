package ledger

import (
	"errors"
	"fmt"

	"github.com/ncruces/go-sqlite3"

	"github.com/hearsay-dp/hearsay/internal/math"
)

// A database is a SQLite connection with statements that are prepared once. Errors and panics of SQLite's reader
// on hostile bytes are returned as errors.
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

// settings make every commit durable, keep other processes out, and trust no claim of the file. Half a megabyte of
// pages is cached, because commits write at the ends of tables and need no more.
var settings = []string{
	"PRAGMA trusted_schema = OFF", "PRAGMA cell_size_check = ON", "PRAGMA locking_mode = EXCLUSIVE",
	"PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL", "PRAGMA journal_size_limit = 4194304", "PRAGMA cache_size = -512",
}

// inForce lists the settings that a connection must have before it is used. 2 is FULL.
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
	return nil // Reset returns the error of Step
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

// bind binds the value of a statement's i-th parameter.
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

// trap turns a panic in SQLite into an error.
func trap(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("sqlite cannot read it: %v", p)
	}
}

// digestAt reads a hash from a column. It returns ErrDamaged if the length is wrong.
func digestAt(s *sqlite3.Stmt, column int) (Digest, error) {
	b := s.ColumnRawBlob(column)
	if len(b) != len(Digest{}) {
		return Digest{}, fmt.Errorf("a hash of %d bytes: %w", len(b), ErrDamaged)
	}
	return Digest(b), nil
}

// unsigned reads a number from a column. It returns ErrDamaged if it is not within 0..limit.
func unsigned(s *sqlite3.Stmt, column int, limit int64) (int64, error) {
	x := s.ColumnInt64(column)
	if x < 0 || x > limit {
		return 0, fmt.Errorf("%s %d is out of range: %w", s.ColumnName(column), x, ErrDamaged)
	}
	return x, nil
}

const anyEpoch = math.MaxInt64
