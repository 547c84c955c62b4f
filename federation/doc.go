// Package federation runs one participant's side of a real run. It holds the public terms that all
// participants agree on before anybody reads data, prices the participant's loss, and runs the
// daemon that trains.
//
// Open reads a spec as one participant. Federation.Plan returns the loss that joining would cost,
// by sound accountants and with the price of noise on a grid. Plan.Objections compares that plan
// with a policy. Federation.Join reads the participant's own file, makes the machine, runs the
// daemon, and writes at the end a statement of the losses spent.
//
// No function here takes a seed for noise or for routes. Every machine uses the noise and the
// router of package secret.
package federation
