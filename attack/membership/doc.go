// Package membership does membership inference as a participant of a run. The attacker decides from its view whether a
// participant's data, or one of its records, is one or the other of two alternatives.
//
// Shadow runs are runs of the same protocol in two worlds, which differ as the accountants' neighbouring data sets do. On
// some of them the attacker fits a statistic of its view: Linear if messages have the same places in every run, Walk if a
// token comes and goes. On others it fits the statistic's law in both worlds (Normals; Carlini, Chien, Nasr, Song, Terzis
// and Tramer 2022) and chooses a test. The test is then measured on runs that nothing was fitted to, by exact binomial
// intervals (privacy/audit). The result is a lower bound on the loss with a confidence, however good the statistic is.
package membership
