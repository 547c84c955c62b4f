// Package trainer asks a program that computes a model of its own: gradients of rows that only the program holds, and
// scores. Hearsay says which rows and at which parameters, clips what comes, adds noise and takes the step; the program
// is started by whoever runs the spec, never by the spec.
//
// A message is a safetensors buffer (a length of eight bytes, a header in JSON, numbers), whose __metadata__ says what it
// asks or answers; docs/MODELS.md has all of them. What a program answers is not trusted: sizes are known before they are read, rows
// come in order and once, and whatever numbers say, a gradient is clipped.
package trainer
