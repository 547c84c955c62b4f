// Package assembly creates a federation. One participant invites, each accepts for itself, all sign
// the same spec, and nobody edits another participant's YAML.
//
// Participants exchange messages, which are texts that fit into a mail. There is one invitation
// with the terms. Each participant sends one acceptance with its key, addresses and number of rows,
// and a signature of the spec that follows from all of them. A Gathering is a set of messages of
// one federation. It grows by adding any text that holds messages, in any order and any number of
// times. Participants with the same messages have the same bytes and the same spec.
//
// No participant has to trust another with its spec. An acceptance is signed by the key in it, and
// names its invitation by hash. Each participant assembles the spec itself and signs its hash. No
// message can prove the owner of a key, because an intermediary could replace another's key with
// its own. Words returns the hash as sixteen words that people compare over the telephone.
//
// All input to this package may come from anybody, so the package validates it.
package assembly
