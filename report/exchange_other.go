//go:build !linux

package report

import "errors"

// exchange returns an error: it is not available on this system.
func exchange(_, _ string) error { return errors.ErrUnsupported }
