package trained

import (
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/hearsay-dp/hearsay/dataset"
	"github.com/hearsay-dp/hearsay/fault"
)

// File returns the path of the model file: path itself, or FileName in the folder at path.
func File(path string) string {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return filepath.Join(path, FileName)
	}
	return path
}

// WriteCSV writes a line for every row of the sheet, in its order. A line holds the kept columns,
// the prediction, and the probability of each class if the model is a classifier. A row without a
// prediction has empty fields for these. A kept column with the name of another column of the
// output is an error.
func (m *Model) WriteCSV(w io.Writer, sheet *dataset.Sheet, p *Predictions, kept []string) error {
	out, classes := csv.NewWriter(w), m.File.Classes
	header := append(slices.Clone(kept), "prediction")
	for _, class := range classes {
		header = append(header, "probability_"+class)
	}
	for j, column := range kept {
		if slices.Contains(header[j+1:], column) {
			return fault.New(fmt.Sprintf("--keep: two columns would be called %q", column), "keep each column once, and none that is called like a prediction")
		}
	}
	if err := out.Write(header); err != nil {
		return err
	}
	whole := make([]string, len(header))
	line := whole[len(kept):]
	for i, at := range sheet.Place {
		copy(whole, sheet.Kept[i*len(kept):(i+1)*len(kept)])
		clear(line)
		switch {
		case at < 0:
		case len(classes) == 0:
			line[0] = number(p.Values[at])
		default:
			line[0] = classes[p.Class[at]]
			for c := range classes {
				line[1+c] = number(p.Probabilities[at*len(classes)+c])
			}
		}
		if err := writeLine(w, out, whole); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// writeLine writes a line. A single empty field is written in quotes, because readers skip empty
// lines.
func writeLine(w io.Writer, out *csv.Writer, line []string) error {
	if len(line) > 1 || line[0] != "" {
		return out.Write(line)
	}
	out.Flush()
	_, err := io.WriteString(w, "\"\"\n")
	return err
}

func number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// String returns the score as a sentence.
func (s *Score) String() string {
	text := "no row has both a label and a prediction"
	switch {
	case s.Accuracy != nil:
		text = fmt.Sprintf("%d rows with labels: %.4g %% are right, loss %.6g", s.Rows, 100**s.Accuracy, s.Loss)
		if s.Balanced != nil {
			text += fmt.Sprintf(", mean share found of each class %.4g %%", 100**s.Balanced)
		}
	case s.RMSE != nil:
		text = fmt.Sprintf("%d rows with labels: RMSE %.6g, mean absolute error %.6g, loss %.6g", s.Rows, *s.RMSE, *s.MAE, s.Loss)
	}
	if s.Unknown > 0 {
		text += fmt.Sprintf("; %d labels are none that the model knows, and not scored", s.Unknown)
	}
	return text
}
