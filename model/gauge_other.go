//go:build !amd64

package model

const haveEight = false

func margins512(margin, minus *float64, rows *gaugedRow, x *float64, count, width int, thetas, plus, correct *float64) {
	panic("model: no vector kernel for this processor")
}

func losses512(loss, minimised, margin, plain *float64, rows *gaugedRow, count int) {
	panic("model: no vector kernel for this processor")
}
