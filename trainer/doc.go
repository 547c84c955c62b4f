// Package trainer queries an external program that computes a model. The program holds the rows and returns their
// gradients and scores. Hearsay chooses the rows and the parameters, clips the gradients, adds noise and takes the
// step. The program is started by the user who runs the spec, never by the spec.
//
// A message is a safetensors buffer: a length of eight bytes, a header in JSON, numbers. Its __metadata__ holds the
// question or the kind of answer; docs/MODELS.md lists them. Answers are not trusted. Sizes are known before data are
// read, rows must come once and in order, and every gradient is clipped.
package trainer
