package model

import "golang.org/x/sys/cpu"

// haveEight says that this processor scores eight models at a time.
var haveEight = cpu.X86.HasAVX512F

// margins512 works on eight models whose parameters stand side by side in thetas (8 of each, width of them). It sets margin[8 i + k] to
// the margin of row i under model k times label i, and minus to the opposite. It adds 1 to correct[k] where model k is right. There
// are count rows, at least one.
//
//go:noescape
func margins512(margin, minus *float64, rows *gaugedRow, x *float64, count, width int, thetas, plus, correct *float64)

// losses512 adds up the losses of eight models on count rows, at least one, in the order of the rows. margin is that of margins512, and
// plain the softplus of its opposite.
//
//go:noescape
func losses512(loss, minimised, margin, plain *float64, rows *gaugedRow, count int)
