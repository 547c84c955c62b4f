// Package federation is one participant's side of a real run: who takes part,
// what everybody knows before anybody has read any data, what this participant
// would lose by joining, and the daemon that then trains.
//
// Open reads a spec as one participant. Plan says what joining would cost it,
// with sound accountants and the price of noise on a grid; its Objections are
// what a policy has against that. Join reads the participant's own file, makes
// the machine, runs the daemon, and states at the end what was spent.
//
// Nothing here takes a seed for noise or for routes: a machine is only ever made
// with the noise and the router of package secret.
package federation
