package dataset

import (
	"encoding/csv"
	"fmt"
	"strings"

	"github.com/hearsay-dp/hearsay/internal/textfile"
	"github.com/hearsay-dp/hearsay/internal/yamltext"
)

// give introduces settings in a hint.
func (c *CSV) give() string {
	if c.Flags {
		return "give "
	}
	return "write under data: "
}

// setting writes a key with its value for a hint, as a spec has it or as flags of hearsay data info.
func (c *CSV) setting(key string, value any) string {
	if !c.Flags {
		return key + ": " + yamltext.Flow(value)
	}
	var flags []string
	switch v := value.(type) {
	case []string:
		if key == "drop" {
			return dropFlag(v...)
		}
		for _, one := range v {
			flags = append(flags, "--missing-value "+textfile.Quoted(one))
		}
	case yamltext.Pairs:
		for _, pair := range v {
			flags = append(flags, pairFlag(key, fmt.Sprint(pair.Key), pair.Value))
		}
	default:
		return "--" + key + " " + textfile.Quoted(fmt.Sprint(v))
	}
	return strings.Join(flags, " ")
}

// pairFlag writes a flag COLUMN=VALUE, or COLUMN=VALUE,VALUE of a list. It drops the column if no such flag can have its name or
// values.
func pairFlag(key, column string, value any) string {
	text := fmt.Sprint(value)
	list, isList := value.([]string)
	if isList {
		text = strings.Join(list, ",")
	}
	if strings.Contains(column, "=") || isList && strings.Count(text, ",") >= len(list) {
		return dropFlag(column)
	}
	return "--" + key + " " + textfile.Quoted(column+"="+text)
}

// dropFlag writes the flag that drops columns, which takes them as a record of CSV.
func dropFlag(columns ...string) string {
	var text strings.Builder
	w := csv.NewWriter(&text)
	_ = w.Write(columns) // a strings.Builder takes everything
	w.Flush()
	return "--drop " + textfile.Quoted(strings.TrimSuffix(text.String(), "\n"))
}
