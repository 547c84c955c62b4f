package testdata

// Edit returns a text with cut bytes from at on replaced by insert; at wraps around. A fuzzer that changes these three tries
// far more cases than one with a long text, because it takes a minute to shorten each such text before it goes on.
func Edit(text string, at uint16, cut uint8, insert string) string {
	from := int(at) % (len(text) + 1)
	return text[:from] + insert + text[min(len(text), from+int(cut)):]
}
