package model

import "golang.org/x/sys/cpu"

// haveEight says that this processor scores eight models at a time.
var haveEight = cpu.X86.HasAVX512F

// margins512 sets, of eight models whose parameters stand side by side in thetas (8 of each, width of them), margin[8 i + k] to what label i
// makes of the margin of row i under model k, minus to the opposite, and adds 1 to correct[k] where model k is right. There
// are count rows, at least one.
//
//go:noescape
func margins512(margin, minus *float64, rows *gaugedRow, x *float64, count, width int, thetas, plus, correct *float64)

// losses512 adds up the losses of eight models on so many rows, at least one, with what margins512 has found and
// the softplus of what is opposite to it, in the order of the rows.
//
//go:noescape
func losses512(loss, minimised, margin, plain *float64, rows *gaugedRow, count int)
