package ledger

// schema is the complete schema, table by table in the order of their names. A file with another schema is
// refused.
var schema = []string{
	`CREATE TABLE ending (id INTEGER PRIMARY KEY CHECK (id = 1), entries INTEGER NOT NULL, hash BLOB NOT NULL) STRICT`,
	`CREATE TABLE entry (seq INTEGER PRIMARY KEY, time INTEGER NOT NULL, epoch INTEGER NOT NULL, releases INTEGER NOT NULL, ` +
		`chain BLOB NOT NULL, facts BLOB NOT NULL, state BLOB NOT NULL, outbox BLOB NOT NULL, hash BLOB NOT NULL) STRICT`,
	`CREATE TABLE federation (id INTEGER PRIMARY KEY CHECK (id = 1), name TEXT NOT NULL, spec BLOB NOT NULL, node TEXT NOT NULL, ` +
		`node_id INTEGER NOT NULL, policy BLOB NOT NULL, ledger BLOB NOT NULL, book BLOB NOT NULL, book_entries INTEGER NOT NULL, book_hash BLOB NOT NULL) STRICT`,
	`CREATE TABLE outbox (epoch INTEGER NOT NULL, receiver INTEGER NOT NULL, kind INTEGER NOT NULL, ` +
		`lane INTEGER NOT NULL, turn INTEGER NOT NULL, frame BLOB NOT NULL, PRIMARY KEY (epoch, receiver, kind, lane, turn)) STRICT`,
	`CREATE TABLE received (epoch INTEGER NOT NULL, sender INTEGER NOT NULL, kind INTEGER NOT NULL, ` +
		`lane INTEGER NOT NULL, turn INTEGER NOT NULL, body BLOB NOT NULL, entry INTEGER NOT NULL, UNIQUE (epoch, sender, kind, lane, turn)) STRICT`,
	`CREATE TABLE release (seq INTEGER PRIMARY KEY, entry INTEGER NOT NULL, epoch INTEGER NOT NULL, lane INTEGER NOT NULL, turn INTEGER NOT NULL, ` +
		`sender INTEGER NOT NULL, receiver INTEGER NOT NULL, contributed INTEGER NOT NULL, sensitivity REAL NOT NULL, noise_std ` +
		`REAL NOT NULL, body BLOB NOT NULL, hash BLOB NOT NULL, UNIQUE (epoch, lane, turn, receiver)) STRICT`,
	`CREATE TABLE spend (entry INTEGER NOT NULL, towards INTEGER NOT NULL, kind TEXT NOT NULL, amount REAL NOT NULL) STRICT`,
	`CREATE TABLE start (entry INTEGER PRIMARY KEY, nonce BLOB NOT NULL UNIQUE, fingerprint BLOB NOT NULL, leaves INTEGER NOT NULL) STRICT`,
	`CREATE TABLE state (id INTEGER PRIMARY KEY CHECK (id = 1), body BLOB NOT NULL) STRICT`,
}

// version is the version of the format, in the database's user_version. It must be raised with every change of the
// schema or of the contents of a hash. A file of another version is refused before anything else of it is read.
const version = 5

// application is the application_id in the file's header: "HRSL".
const application = 0x4852534c

// These statements are prepared once per connection.
const (
	insertEntry    = `INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`
	insertRelease  = `INSERT INTO release VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	insertReceived = `INSERT INTO received VALUES (?, ?, ?, ?, ?, ?, ?)`
	insertSpend    = `INSERT INTO spend VALUES (?, ?, ?, ?)`
	insertMessage  = `INSERT INTO outbox VALUES (?, ?, ?, ?, ?, ?)`
	deleteMessage  = `DELETE FROM outbox WHERE epoch = ? AND receiver = ? AND kind = ? AND lane = ? AND turn = ?`
	replaceState   = `INSERT OR REPLACE INTO state VALUES (1, ?)`
	insertStart    = `INSERT INTO start VALUES (?, ?, ?, ?)`
	insertOwner    = `INSERT INTO federation VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	replaceEnding  = `INSERT OR REPLACE INTO ending VALUES (1, ?, ?)`
	deleteEnding   = `DELETE FROM ending`
	selectEnding   = `SELECT entries, hash FROM ending`
	selectOwner    = `SELECT name, spec, node, node_id, policy, ledger, book, book_entries, book_hash FROM federation`
	selectStarts   = `SELECT entry, nonce, fingerprint, leaves FROM start ORDER BY entry`
	selectEntries  = `SELECT seq, time, epoch, releases, chain, facts, state, outbox, hash FROM entry ORDER BY seq`
	selectLast     = `SELECT seq, time, epoch, releases, chain, facts, state, outbox, hash FROM entry ORDER BY seq DESC LIMIT 1`
	selectAt       = `SELECT seq, time, epoch, releases, chain, facts, state, outbox, hash FROM entry WHERE seq = ?`
	selectReleases = `SELECT release.seq, entry, entry.time, release.epoch, lane, turn, sender, receiver, contributed, sensitivity, ` +
		`noise_std, body, release.hash FROM release LEFT JOIN entry ON entry.seq = release.entry ORDER BY release.seq`
	selectReceived = `SELECT entry, epoch, sender, kind, lane, turn, body FROM received ORDER BY rowid`
	selectOne      = `SELECT count(*) FROM received WHERE epoch = ? AND sender = ? AND kind = ? AND lane = ? AND turn = ?`
	selectNewest   = `SELECT max(turn) FROM received WHERE epoch = ? AND sender = ? AND kind = ? AND lane = ?`
	selectSpends   = `SELECT entry, towards, kind, amount FROM spend ORDER BY rowid`
	selectSpent    = `SELECT towards, kind, sum(amount) FROM spend GROUP BY towards, kind ORDER BY towards, kind`
	selectOutbox   = `SELECT epoch, receiver, kind, lane, turn, frame FROM outbox ORDER BY epoch, receiver, kind, lane, turn`
	selectState    = `SELECT body FROM state`
	selectSchema   = `SELECT coalesce(sql, '') FROM sqlite_schema WHERE NOT (type = 'index' AND sql IS NULL) ORDER BY name`
)
