// Package sum is what a token adds up: a sum of vectors with Gaussian noise, or a
// histogram of randomised answers, on a directed ring (002 Algorithms 5.1 and 5.2, Remark
// 5.6) or by a walk over all nodes alike (Algorithms 7.1 and D.1). The token walks as
// in package walk, whose kernels these are; where it goes and what noise it takes is
// known before it starts.
package sum
