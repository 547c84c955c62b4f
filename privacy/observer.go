package privacy

// An Observer names the observer that a number bounds the loss towards, and so the messages that count as seen.
// The empty Observer is OneParticipant.
type Observer string

// Public stands apart from the other observers: it takes no part in the run and sees the final model, or
// predictions of it, and nothing else. A participant sees the final model too where claims cover it (CoversModel).
const Public Observer = "the public"

// The participants, from the weakest. Each sees all that those before it see.
const (
	OneParticipant Observer = "own messages"       // one participant, who sees the messages that reach it
	AllMessages    Observer = "all messages"       // one participant, who sees every message of the run, and knows the noise it shares with neighbours
	Everybody      Observer = "everybody together" // any number who pool every message and all their knowledge, whether or not they follow the protocol
)

// String returns the observer in words.
func (o Observer) String() string {
	if o == "" {
		return string(OneParticipant)
	}
	return string(o)
}

// SeesAll reports whether every message counts as seen.
func (o Observer) SeesAll() bool { return o == AllMessages || o == Everybody }

// Weaker returns the weaker of two participants. Both numbers hold towards it.
func Weaker(a, b Observer) Observer {
	if !a.SeesAll() || a == AllMessages && b == Everybody {
		return a
	}
	return b
}

// CoversModel reports whether the number also holds if everybody is shown the final model. It does if every
// message counts as seen, because the model follows from them, or if the claim counts the model itself.
func (c Claim) CoversModel() bool { return c.Final || c.Towards.SeesAll() }
