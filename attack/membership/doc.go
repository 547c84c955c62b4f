// Package membership is membership inference by who takes part in a run: whether a participant's data, or one of its
// records, is the one or the other, told from what the attacker sees of the run.
//
// Shadow runs are runs of the same protocol in two worlds, which differ as the accountants' neighbouring data sets
// do. On some of them the attacker fits a statistic of its view (Linear where messages have the same places in every
// run, Walk where a token comes and goes), on others it fits the statistic's law in both worlds (Normals; Carlini, Chien,
// Nasr, Song, Terzis and Tramer 2022) and chooses a test. What the test proves is measured on runs that nobody has fitted
// anything to, by exact binomial intervals (privacy/audit): a lower bound of what can be told, with a confidence, whatever
// the statistic is worth.
package membership
