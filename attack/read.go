package attack

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/textfile"
)

// ReadMessages reads lines of turn,from,to,value[,value...], with or without a
// header line. Lines that start with # are comments. name starts error
// messages, and find returns the node of an id.
func ReadMessages(r io.Reader, name string, find func(id string) (node int, ok bool)) ([]Message, error) {
	in := csv.NewReader(textfile.NewReader(r, name))
	in.Comment, in.FieldsPerRecord, in.TrimLeadingSpace, in.ReuseRecord = '#', -1, true, true
	var messages []Message
	for first := true; ; first = false {
		fields, err := in.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		switch {
		case fault.Hint(err) != "":
			return nil, err
		case err != nil:
			return nil, fault.Wrap(err, name+" cannot be read", "give lines of turn,from,to,value[,value...]")
		}
		if first && strings.EqualFold(strings.TrimSpace(fields[0]), "turn") {
			continue
		}
		line, _ := in.FieldPos(0)
		m, err := parseMessage(fields, find)
		if err != nil {
			return nil, fault.Wrap(err, fmt.Sprintf("%s line %d", name, line), fault.Hint(err))
		}
		m.Line = line
		messages = append(messages, m)
	}
	if len(messages) == 0 {
		return nil, fault.New(name+" holds no message", "give lines of turn,from,to,value[,value...]")
	}
	return messages, nil
}

func parseMessage(fields []string, find func(id string) (int, bool)) (m Message, err error) {
	if len(fields) < 4 {
		return m, fault.New(fmt.Sprintf("%d columns are too few", len(fields)), "give turn, from, to and at least one value")
	}
	if m.Turn, err = strconv.Atoi(strings.TrimSpace(fields[0])); err != nil {
		return m, fault.New(fmt.Sprintf("the turn is no whole number: %.40q", fields[0]), "number turns from 0")
	}
	for k, at := range []*int{&m.From, &m.To} {
		node, ok := find(strings.TrimSpace(fields[1+k]))
		if !ok {
			return m, fault.New(fmt.Sprintf("%.40q is not a node of the graph", fields[1+k]), "name nodes by their ids")
		}
		*at = node
	}
	for _, field := range fields[3:] {
		x, err := strconv.ParseFloat(strings.TrimSpace(field), 64)
		if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
			return m, fault.New(fmt.Sprintf("a value is no finite number: %.40q", field), "correct the value")
		}
		m.Values = append(m.Values, x)
	}
	return m, nil
}

// WriteMessages writes messages in the format of ReadMessages, with all digits.
func WriteMessages(w io.Writer, messages []Message, label func(node int) string) error {
	out := csv.NewWriter(w)
	for k, m := range messages {
		if k == 0 {
			header := []string{"turn", "from", "to"}
			for j := range m.Values {
				header = append(header, fmt.Sprintf("value%d", j))
			}
			if err := out.Write(header); err != nil {
				return err
			}
		}
		fields := []string{strconv.Itoa(m.Turn), label(m.From), label(m.To)}
		for _, x := range m.Values {
			fields = append(fields, strconv.FormatFloat(x, 'g', -1, 64))
		}
		if err := out.Write(fields); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}
