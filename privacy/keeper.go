package privacy

import "crypto/sha256"

// A Key is a digest of all that something depends on but the program.
type Key = [sha256.Size]byte

// A Keeper keeps what accounting has found, so that whoever asks for the same again
// need not wait for it: bytes under a key. Both are called from any goroutine.
type Keeper interface {
	// Recall is what was kept under a key, nil if that is nothing or is damaged. Whoever
	// asks checks that it is what it should be, and finds it anew if it is not.
	Recall(key Key) []byte
	// Keep keeps what was found. That it cannot is the keeper's business.
	Keep(key Key, found []byte)
}
