package sweep

// Named is a Row as self-contained JSON.
type Named struct {
	Settings map[string]string `json:"settings"` // key: value, each as the text that was given
	Values   *struct{}         `json:"values,omitempty"`
	Row
}

// A Broken is a row without results.
type Broken struct {
	Settings map[string]string `json:"settings"`
	Error    string            `json:"error"`
	Hint     string            `json:"hint,omitempty"`
}

// WithNames returns the rows with the keys of the fields beside their values. Each is a
// Named, or a Broken if it has an error.
func WithNames(fields []Field, rows []Row) []any {
	named := make([]any, len(rows))
	for i, r := range rows {
		settings := map[string]string{}
		for k, f := range fields {
			settings[f.Key] = r.Values[k]
		}
		if named[i] = (Named{Settings: settings, Row: r}); r.Error != "" {
			named[i] = Broken{settings, r.Error, r.Hint}
		}
	}
	return named
}
