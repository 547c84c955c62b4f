package scatter

// eachKernel runs a check with the kernels of 512 bits, where there are any, of 256 and of none.
func eachKernel(check func()) {
	wide, narrow := have512, have256
	defer func() { have512, have256 = wide, narrow }()
	for _, have := range [][2]bool{{wide, narrow}, {false, narrow}, {false, false}} {
		have512, have256 = have[0], have[1]
		check()
	}
}
