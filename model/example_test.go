package model_test

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/model"
)

// What an objective guarantees decides which theorems hold for it.
func Example() {
	m, _ := model.New("logistic", model.Options{Classes: 2})
	theta, x := []float64{1, -1}, []float64{0.6, 0.8}
	gradient := make([]float64, m.Params(2))
	m.Gradient(gradient, theta, x, 1)
	fmt.Printf("loss %.4f, gradient %.3f\n", m.Loss(theta, x, 1), gradient)
	g := m.Guarantees(1) // for features of norm at most 1
	fmt.Println("convex:", g.Convex(), "smoothness:", g.Smoothness(), "Lipschitz:", g.Lipschitz())
	// Output:
	// loss 0.7981, gradient [-0.330 -0.440]
	// convex: true smoothness: 0.25 Lipschitz: 1
}
