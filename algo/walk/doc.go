// Package walk is random-walk SGD with privacy noise (RW DP-SGD: 000
// Algorithm 1, 002 Algorithms 7.2 and 7.3). The model is a token. The node
// that holds it takes one gradient step on its own data, adds noise and hands
// it to a neighbour drawn from its row of the transition matrix.
//
// Protocol says what is run. Kernel is the mathematics of one turn; Hopper
// adds the two decisions of a turn, whether the node still contributes and
// who is next; Machine puts the messages around it. Schedule is what will be
// released, known before anything runs.
package walk
