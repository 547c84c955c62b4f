package privacy_test

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/privacy"
)

// The loss of ten noisy releases that everybody sees, and the least noise at
// which it is 1.
func Example() {
	metric := privacy.Metric{Delta: 1e-6}
	loss, claim, err := privacy.LocalLoss(10, 12, metric)
	fmt.Printf("%s: %.3f, %s, %v\n", claim.Status, loss, metric, err)

	calibration, err := privacy.TightGaussian(10, 1, metric)
	fmt.Printf("sigma %.2f keeps it at %.3f, %v\n", calibration.Sigma, calibration.Loss, err)
	// Output:
	// sound: 1.123, epsilon at delta 1e-06, <nil>
	// sigma 13.36 keeps it at 1.000, <nil>
}
