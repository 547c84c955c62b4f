package design

import "sync"

// A count counts the finished tasks of goroutines, and reports the number.
type count struct {
	lock sync.Mutex
	done int
	tell func(done int)
}

func newCount(tell func(done int)) *count { return &count{tell: tell} }

func (c *count) up() {
	c.lock.Lock()
	defer c.lock.Unlock()
	c.done++
	c.tell(c.done)
}
