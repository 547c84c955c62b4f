package papers

import (
	"context"
	"errors"
	"testing"
)

// A study that looks at no context is left when that ends, and nothing of it is returned; one that comes to an end meanwhile says why.
func TestAnInterruptedStudyReturns(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	deaf := make(chan struct{})
	defer close(deaf)
	study := Study{ID: "deaf", compute: func(context.Context, string, func(string)) (*Findings, error) {
		stop()
		<-deaf
		return &Findings{}, nil
	}}
	if f, err := study.Findings(ctx, "", func(string) {}); f != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v", f, err)
	}
	broken := errors.New("broken")
	study.compute = func(context.Context, string, func(string)) (*Findings, error) { return nil, broken }
	if _, err := study.Findings(t.Context(), "", func(string) {}); !errors.Is(err, broken) {
		t.Error(err)
	}
}
