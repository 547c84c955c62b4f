// Package walk implements random-walk SGD with privacy noise (RW DP-SGD: 000 Algorithm 1, 002 Algorithms 7.2 and
// 7.3). The model is a token. The node that holds it takes one gradient step on its own data, adds noise, and hands
// it to a neighbour drawn from its row of the transition matrix.
//
// Protocol holds the settings of a run. Kernel computes one turn. Hopper adds the two decisions of a turn: whether
// the node still contributes, and who is next. Machine adds the messages. Schedule lists the releases, which are
// known before the run.
package walk
