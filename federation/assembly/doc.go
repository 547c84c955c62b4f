// Package assembly brings a federation about: one participant invites, each accepts for
// itself, all sign the same spec, and nobody edits anybody's YAML.
//
// What is sent are messages, texts that a mail carries: one invitation with the terms, of
// each participant one acceptance with its key, addresses and number of rows, and of each a
// signature of the spec that follows from these. A Gathering is a set of messages of one
// federation. It grows by adding any text that holds some, in any order and as often as one
// likes: whoever has the same messages has the same bytes, and the same spec.
//
// Nobody is trusted with the spec of others. An acceptance is signed by the key that it
// brings, and names the invitation, by its hash, that it is for; each assembles the spec
// itself, and signs its hash. What no message can tell is whose key a key is: who hands
// messages on could put its own in place of another's. Words are for that: the hash as
// sixteen words that people compare over the telephone.
//
// Whatever is read here may have been written by anybody.
package assembly
