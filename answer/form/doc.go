// Package form holds the parts that the packages of answers share: the form of claims, losses and numbers, the destination of
// an answer, and the cache of accountants.
package form
