package privacy

import "crypto/sha256"

// A Key is a digest of everything that a result depends on, except the program.
type Key = [sha256.Size]byte

// A Keeper caches results of accounting, as bytes under a key, so that they need not
// be computed again. Both methods must be safe for concurrent use.
type Keeper interface {
	// Recall returns the bytes kept under a key. It returns nil if there are none or
	// if they are damaged. The caller must check them and compute the result anew if
	// they are wrong.
	Recall(key Key) []byte
	// Keep stores a result. It reports no failure to the caller.
	Keep(key Key, found []byte)
}
