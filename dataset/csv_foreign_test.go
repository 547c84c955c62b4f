package dataset

import (
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/textfile"
	"github.com/hearsay-dp/hearsay/internal/yamltext"
)

// Files of other programs are read as they are meant.
func TestTablesOfOtherProgramsAreRead(t *testing.T) {
	want := "[age bp] [63 145 67 160] [-1 1]"
	for name, text := range map[string]string{
		"plain.csv":             "age,bp,ill\n63,145,0\n67,160,1\n",
		"mark.csv":              "\ufeff\"age\",\"bp\",\"ill\"\r\n\"63\",\"145\",\"0\"\r\n67,160,1\r\n",
		"mark_spaces.csv":       "\ufeff age , bp , ill \n63, 145 ,0\n67,160,1\n",
		"no_break_spaces.csv":   "age\u00a0,\u00a0bp,ill\n63,145\u00a0,0\n67,160,1\n",
		"tabs.tsv":              "age\tbp\till\n63\t145\t0\n67\t160\t1\n",
		"tabs_and_mark.tsv":     "\ufeff\"age\"\t bp \till\r\n63\t 145\t0\r\n67\t160\t1\r\n",
		"tabs.csv":              "age\tbp\till\n63\t145\t0\n67\t160\t1\n",
		"macintosh.csv":         "age,bp,ill\r63,145,0\r67,160,1\r",
		"separator.csv":         "sep=,\r\nage,bp,ill\r\n63,145,0\r\n67,160,1\r\n",
		"separator_tab.csv":     "sep=\t\r\nage\tbp\till\r\n63\t145\t0\r\n67\t160\t1\r\n",
		"spaces_and_quotes.csv": "age, \"bp\", ill\n63, \"145\", 0\n67,160,1\n",
	} {
		table, err := ReadCSV(strings.NewReader(text), name, CSV{Target: "ill", Task: Classification})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := fmt.Sprint(table.Features, table.X, table.Y); got != want {
			t.Errorf("%s is read as %s", name, got)
		}
	}
	table, err := ReadCSV(strings.NewReader("a, x\tb\tc\n\t1\t0\n2\t3\t1\n3\t4\t0\n"), "gaps.tsv", CSV{Target: "c", Task: Classification, SkipMissing: true})
	if err != nil || table.Dropped != 1 || table.Features[0] != "a, x" {
		t.Errorf("an empty field before a tab: %v, %v", err, table)
	}
}

// Files that are no such table are refused by name, whoever reads them.
func TestWhatIsNoTableIsNamed(t *testing.T) {
	for what, text := range map[string]string{
		"UTF-16":            "\xff\xfea\x00,\x00b\x00\n\x00",
		"an ARFF file":      "% a comment\n@RELATION x\n@attribute age numeric\n@data\n1,2\n",
		"an Excel workbook": "PK\x03\x04....[Content_Types].xml",
		"an HTML page":      "<!DOCTYPE html>\n<html>",
		"JSON":              "[{\"a\": 1}]",
		"XML":               "<?xml version=\"1.0\"?><a/>",
		"an SQL script":     "-- dump\nCREATE TABLE x (a int);\n",
		"a Parquet file":    "PAR1\x15\x04",
		"line 3: the byte 0xe9 after \"3,caf\" is not UTF-8": "age,ill\n1,0\n3,caf\xe9\n",
		"line 2 has a zero byte":                             "age,ill\n1,\x00\n",
		"not separated by commas":                            "age;bp, sys;ill\n1;2;0\n",
		"line 1 holds numbers, and no names":                 "63,1,145,0\n67,0,160,1\n41,1,130,0\n",
		"line 1 holds numbers":                               "63,,145.5,-1\n67,0,160,1\n",
		"line 1 is a row like the others":                    "63,f,145,no\n67,m,160,yes\n41,f,130,no\n50,m,160,yes\n",
	} {
		target := "ill"
		if strings.HasPrefix(what, "line 1 is") {
			target = "no"
		}
		readers := map[string]func(string) error{
			"csv": func(name string) error {
				_, err := ReadCSV(strings.NewReader(text), name, CSV{Target: target, Task: Classification, Categories: map[string][]string{}})
				return err
			},
		}
		if !strings.HasPrefix(what, "line 1 is") {
			readers["shard"] = func(name string) error {
				_, err := Shape{Target: "ill", Task: Classification, Classes: []string{"0", "1"}, Ranges: map[string][2]float64{"age": {0, 100}}}.ReadShard(strings.NewReader(text), name, 0, 1, 0)
				return err
			}
			readers["sheet"] = func(name string) error {
				_, err := Layout{Features: []string{"age"}, Target: "ill"}.Read(strings.NewReader(text), name)
				return err
			}
		}
		for reader, read := range readers {
			if err := read("x.csv"); err == nil || !strings.Contains(err.Error(), what) || fault.Hint(err) == "" {
				t.Errorf("%s of %q: %v, want %q and a hint", reader, text, err, what)
			}
		}
	}
	if _, err := ReadLIBSVM(strings.NewReader("@relation x\n"), "x.arff", 0, Classification); err == nil || !strings.Contains(err.Error(), "ARFF") {
		t.Errorf("LIBSVM: %v", err)
	}
}

// Names of columns may be numbers where they count, with a note, or beside words.
func TestColumnsThatAreCalledByNumbers(t *testing.T) {
	table, err := ReadCSV(strings.NewReader("0,1,2\n5,7,0\n6,8,1\n"), "x.csv", CSV{Target: "2", Task: Classification})
	if err != nil || len(table.Notes) != 1 || !strings.Contains(table.Notes[0], "names of the columns: 0, 1, 2") {
		t.Errorf("%v, %+v", err, table)
	}
	table, err = ReadCSV(strings.NewReader("2019,2020,ill\n5,7,0\n6,8,1\n"), "x.csv", CSV{Target: "ill", Task: Classification})
	if err != nil || len(table.Notes) != 0 {
		t.Errorf("%v, %+v", err, table)
	}
}

// What programs write for no value is no class and no text, unless it is listed.
func TestGapsOfOtherPrograms(t *testing.T) {
	for _, gap := range []string{"", "?", "NA", "N/A", "#N/A", `\N`, ".", "NaN", "<NA>", "NULL", "#DIV/0!", "(null)"} {
		text := fmt.Sprintf("age,bp,ill\n63,145,no\n67,160,yes\n50,%s,yes\n51,120,%s\n52,121,no\n", gap, gap)
		table, err := ReadCSV(strings.NewReader(text), "x.csv", CSV{Target: "ill", Task: Classification, SkipMissing: true})
		if err != nil || table.Rows() != 3 || table.Dropped != 2 || !slices.Equal(table.Classes, []string{"no", "yes"}) {
			t.Errorf("%q: %v, %+v", gap, err, table)
		}
		_, err = ReadCSV(strings.NewReader(text), "x.csv", CSV{Target: "ill", Task: Classification})
		if err == nil || strings.Contains(fault.Hint(err), "categories") || !strings.Contains(fault.Hint(err), "missing: drop") {
			t.Errorf("%q: %v (%s)", gap, err, fault.Hint(err))
		}
		if gap == "" || gap == "?" {
			continue
		}
		table, err = ReadCSV(strings.NewReader(text), "x.csv", CSV{Target: "ill", Task: Classification, Classes: []string{"no", "yes", gap}, Categories: map[string][]string{"bp": {"145", "160", "120", "121", gap}}})
		if err != nil || table.Rows() != 5 {
			t.Errorf("%q, which is listed: %v", gap, err)
		}
	}
	table, err := ReadCSV(strings.NewReader("age,ill\n1,none\n2,mild\n3,none\n"), "x.csv", CSV{Target: "ill", Task: Classification})
	if err != nil || !slices.Equal(table.Classes, []string{"mild", "none"}) {
		t.Errorf("%v, %+v", err, table)
	}
}

// pasted is what hints write under data:.
type pasted struct {
	Missing    string              `yaml:"missing"`
	None       []string            `yaml:"missing_values"`
	Drop       []string            `yaml:"drop"`
	Classes    []string            `yaml:"classes"`
	Categories map[string][]string `yaml:"categories"`
	Fill       map[string]string   `yaml:"fill"`
	Task       string              `yaml:"task"`
}

// settings are the YAML in a hint.
var settings = regexp.MustCompile(`(missing: drop|task: classification|(drop|classes|missing_values): \[.*?\]|(categories|fill): \{.*?\})( |,|$)`)

// Every hint about columns works as it is printed. Columns of numbers are offered no
// categories.
func TestHintsWorkWhenPasted(t *testing.T) {
	words := []string{"True", "False", "null x", "12,300", "8,100", "1,5", "$7", "12 %", "yes", "no", "0x1F", "#c", "a: b", "[a", "- a", "a b", `say "a"`, "'a'", "é", "k.A.", "1a", "18-30", "<5", "*x", "&x", "!x", "%x", "@x", "~", "a,b", "=", ":", "x:"}
	names := []string{"bp", "blood pressure", "a: b", "#", "10", "null", "True", "x,y", "[", "\"q\"", "- a", "é"}
	field := func(text string) string { return `"` + strings.ReplaceAll(text, `"`, `""`) + `"` }
	for i, word := range words {
		other := words[(i+1)%len(words)]
		for _, name := range names {
			for kind, rows := range map[string][]string{
				"text":    {word, other, word, other},
				"numbers": {"120", word, "130.5", word},
				"gaps":    {"NA", word, ".", other},
			} {
				text := "age," + field(name) + ",ill\n"
				for j, value := range rows {
					text += fmt.Sprintf("%d,%s,%s\n", 50+j, field(value), []string{"0", "1"}[j%2])
				}
				_, err := ReadCSV(strings.NewReader(text), "x.csv", CSV{Target: "ill", Task: Classification})
				if err == nil {
					t.Errorf("%s is read:\n%s", kind, text)
					continue
				}
				hint := fault.Hint(err)
				if kind == "numbers" && strings.Contains(hint, "categories") {
					t.Errorf("numbers are offered categories: %s\n%s", hint, text)
				}
				var yaml []string
				for _, found := range settings.FindAllStringSubmatch(hint, -1) {
					if !strings.HasPrefix(found[1], "fill") {
						yaml = append(yaml, found[1])
					}
				}
				paste(t, text, hint, yaml)
			}
		}
	}
}

// A command that takes flags is told flags, as a shell reads them. A column that no flag can name is dropped.
func TestHintsNameFlags(t *testing.T) {
	for text, want := range map[string]string{
		"age,sex,ill\n50,f,0\n,m,1\n40,f,0\n":         "give --missing drop (leaves out 1 row), or --fill 'age=0' with public values of yours; --categories 'sex=f,m' if",
		"a=b,x,ill\nf,1,0\nm,2,1\n":                   "give --drop 'a=b' if",
		"s,x,ill\n\"f,m\",1,0\nit's,2,1\n":            "give --drop s if",
		"age,x,ill\nk.A.,1,0\n3,2,1\nk.A.,3,0\n":      "give --missing-value k.A., with --missing drop, if",
		"\"d,e\",x,ill\n1.2.2020,1,0\n3.4.2021,2,1\n": `give --drop '"d,e"', or`,
		"age,x,ill\n,1,0\n3,2,1\n":                    "fill it in, remove the row, give --missing drop, or --fill 'age=0'",
		"age;x;ill\n1,5;1;0\n":                        "--separator ';' on the command line",
	} {
		_, err := ReadCSV(strings.NewReader(text), "x.csv", CSV{Target: "ill", Task: Classification, Flags: true})
		if hint := fault.Hint(err); !strings.Contains(hint, want) {
			t.Errorf("%s, want %s", hint, want)
		}
	}
}

// The download of a missing file is offered where there is one.
func TestMissingFilesAreFetchedByName(t *testing.T) {
	for path, want := range map[string]string{"data/houses/houses.csv": "give the path of the file, or download it with: hearsay data fetch houses", "own.csv": "give the path of the file"} {
		if got := fault.Hint(openError(path, fs.ErrNotExist)); got != want {
			t.Errorf("%s: %s", path, got)
		}
	}
}

// Values that a list lacks are added to it.
func TestHintOfAListThatLacksSome(t *testing.T) {
	_, err := ReadCSV(strings.NewReader("age,s,ill\n1,True,0\n2,False,1\n3,yes,0\n"), "x.csv", CSV{Target: "ill", Task: Classification, Categories: map[string][]string{"s": {"yes", "true"}}})
	if want := `categories: {s: ["yes", "true", "True", "False"]}`; err == nil || !strings.Contains(fault.Hint(err), want) {
		t.Errorf("%v (%s)", err, fault.Hint(err))
	}
}

// paste reads a table with the settings of a hint.
func paste(t *testing.T, text, hint string, yaml []string) {
	t.Helper()
	d, err := yamltext.NewDocument([]byte(strings.Join(yaml, "\n")), 1<<16, "hint")
	var p pasted
	if err == nil {
		err = d.Decode(&p)
	}
	if err != nil || len(yaml) == 0 {
		t.Errorf("%v: the hint %s\n%s", err, hint, text)
		return
	}
	_, err = ReadCSV(strings.NewReader(text), "x.csv", CSV{Target: "ill", Task: Classification, Drop: p.Drop, Classes: p.Classes, Categories: p.Categories, SkipMissing: p.Missing == "drop", Notation: textfile.Notation{Missing: p.None}})
	if err != nil && !strings.Contains(err.Error(), "distinct values") && !strings.Contains(err.Error(), "has no rows") {
		t.Errorf("with %q: %v\n%s", yaml, err, text)
	}
}
