package sweep

// Named is a Row as JSON that stands by itself.
type Named struct {
	Settings map[string]string `json:"settings"` // key: value, each as text, as it was given
	Values   *struct{}         `json:"values,omitempty"`
	Row
}

// A Broken row is one that has no numbers.
type Broken struct {
	Settings map[string]string `json:"settings"`
	Error    string            `json:"error"`
	Hint     string            `json:"hint,omitempty"`
}

// WithNames puts the fields' keys beside the values of each row: Named and Broken ones.
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
