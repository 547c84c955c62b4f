package trainer

import (
	"strings"

	"github.com/hearsay-dp/hearsay/fault"
)

// Words splits a command as a shell does: at spaces, except in quotes and after a backslash. No other character is
// special.
func Words(command string) (all []string, err error) {
	var word strings.Builder
	inside, begun := rune(0), false
	escaped := false
	for _, r := range command {
		switch {
		case escaped:
			word.WriteRune(r)
			escaped = false
		case r == '\\' && inside != '\'':
			escaped, begun = true, true
		case inside != 0:
			if r == inside {
				inside = 0
				continue
			}
			word.WriteRune(r)
		case r == '\'' || r == '"':
			inside, begun = r, true
		case r == ' ' || r == '\t' || r == '\n':
			if begun {
				all = append(all, word.String())
				word.Reset()
				begun = false
			}
		default:
			word.WriteRune(r)
			begun = true
		}
	}
	if inside != 0 || escaped {
		return nil, fault.New("--model: a quote or a backslash without its end", "such as --model 'python3 my_model.py'")
	}
	if begun {
		all = append(all, word.String())
	}
	if len(all) == 0 {
		return nil, fault.New("--model: no program", "such as --model 'python3 my_model.py'")
	}
	return all, nil
}
