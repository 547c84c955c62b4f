package testdata

// Edit returns a text with cut bytes from at on replaced by insert; at counts round and
// round. A fuzzer that changes these three tries far more than one that is given a long
// text: it takes a minute to make each such text shorter before it goes on.
func Edit(text string, at uint16, cut uint8, insert string) string {
	from := int(at) % (len(text) + 1)
	return text[:from] + insert + text[min(len(text), from+int(cut)):]
}
