package parallel

import (
	"sync/atomic"
	"testing"
)

func TestEachCallsEveryIndexOnce(t *testing.T) {
	for _, workers := range []int{-1, 1, 3, 20} {
		var calls [17]atomic.Int32
		Each(len(calls), workers, func(i int) { calls[i].Add(1) })
		for i := range calls {
			if n := calls[i].Load(); n != 1 {
				t.Errorf("%d workers: index %d was called %d times", workers, i, n)
			}
		}
	}
	Each(0, 3, func(int) { t.Error("called for nothing") })
}
