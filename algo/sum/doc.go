// Package sum has the kernels of a token that adds up: a sum of vectors with Gaussian noise, or a
// histogram of randomised answers. The token goes round a directed ring (002 Algorithms 5.1 and 5.2, Remark
// 5.6) or walks over all nodes alike (Algorithms 7.1 and D.1). It walks as
// in package walk, whose kernels these are. Its route and its noise are
// known before it starts.
package sum
