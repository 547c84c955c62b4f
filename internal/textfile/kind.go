package textfile

import (
	"bytes"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/hearsay-dp/hearsay/fault"
)

// mark is the byte order mark of UTF-8.
var mark = []byte("\xef\xbb\xbf")

const saveAs = "save it as text: CSV in UTF-8 for a table, as spreadsheets and statistics programs can"

// binaries lists the first bytes of files that are no text.
var binaries = []struct{ start, what string }{
	{"\xff\xfe\x00\x00", "UTF-32 text"}, {"\x00\x00\xfe\xff", "UTF-32 text"},
	{"\xff\xfe", "UTF-16 text"}, {"\xfe\xff", "UTF-16 text"},
	{"\x1f\x8b", "compressed by gzip"}, {"BZh", "compressed by bzip2"}, {"\xfd7zXZ", "compressed by xz"},
	{"\x28\xb5\x2f\xfd", "compressed by zstd"}, {"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"}, {"Rar!", "a RAR archive"},
	{"\xd0\xcf\x11\xe0", "an old Microsoft Office file, such as .xls"}, {"%PDF", "a PDF document"}, {"{\\rtf", "an RTF document"},
	{"PAR1", "a Parquet file"}, {"ARROW1", "an Arrow file"}, {"FEA1", "a Feather file"}, {"ORC", "an ORC file"}, {"Obj\x01", "an Avro file"},
	{"\x89HDF", "an HDF5 file"}, {"CDF\x01", "a NetCDF file"}, {"CDF\x02", "a NetCDF file"}, {"\x93NUMPY", "a NumPy array"},
	{"\x80\x02", "a Python pickle"}, {"\x80\x03", "a Python pickle"}, {"\x80\x04", "a Python pickle"}, {"\x80\x05", "a Python pickle"},
	{"RDX", "an R data file"}, {"RDA", "an R data file"}, {"X\n\x00\x00", "an R data file"}, {"B\n\x02\x00", "an R data file"}, {"B\n\x03\x00", "an R data file"},
	{"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xc2\xea\x81\x60", "a SAS data set"}, {"HEADER RECORD*******", "a SAS transport file"},
	{"<stata_dta>", "a Stata data set"}, {"\x71\x01\x01", "a Stata data set"}, {"\x71\x02\x01", "a Stata data set"}, {"\x72\x01\x01", "a Stata data set"},
	{"\x72\x02\x01", "a Stata data set"}, {"\x73\x01\x01", "a Stata data set"}, {"\x73\x02\x01", "a Stata data set"},
	{"$FL2", "an SPSS data set"}, {"$FL3", "an SPSS data set"}, {"MATLAB 5", "a MATLAB file"}, {"SQLite format 3", "an SQLite database"},
	{"\x89PNG", "an image"}, {"\xff\xd8\xff", "an image"}, {"GIF8", "an image"}, {"\x7fELF", "a program"},
	{"version https://git-lfs", "a pointer of Git LFS to a file that is elsewhere"},
}

// Binary returns the kind of a file that is no UTF-8 text, by its first bytes. It returns "" if no kind is known.
func Binary(head []byte) string {
	if bytes.HasPrefix(head, []byte("PK\x03\x04")) || bytes.HasPrefix(head, []byte("PK\x05\x06")) {
		return archive(head)
	}
	for _, b := range binaries {
		if bytes.HasPrefix(head, []byte(b.start)) {
			return b.what
		}
	}
	if len(head) > 262 && string(head[257:262]) == "ustar" {
		return "a tar archive"
	}
	return wide(head)
}

// archive returns the kind of a zip archive's contents.
func archive(head []byte) string {
	switch {
	case bytes.Contains(head, []byte("opendocument.spreadsheet")):
		return "an OpenDocument spreadsheet"
	case bytes.Contains(head, []byte("word/")):
		return "a Word document"
	case bytes.Contains(head, []byte("xl/")), bytes.Contains(head, []byte("[Content_Types].xml")):
		return "an Excel workbook"
	}
	return "a zip archive"
}

// wide recognises UTF-16 and UTF-32 without a byte order mark by zeros at every other place.
func wide(head []byte) string {
	head = head[:min(len(head), 512)]
	var zeros [4]int
	for i, b := range head {
		if b == 0 {
			zeros[i%4]++
		}
	}
	even, odd, quarter := zeros[0]+zeros[2], zeros[1]+zeros[3], len(head)/4
	switch {
	case len(head) < 8:
		return ""
	case even > quarter/2 && odd > quarter && zeros[0]*zeros[3] == 0:
		return "UTF-32 text"
	case even > quarter && odd == 0, odd > quarter && even == 0:
		return "UTF-16 text"
	}
	return ""
}

// forms lists texts that are no tables.
var forms = []struct {
	start *regexp.Regexp
	what  string
}{
	{regexp.MustCompile(`(?i)^(%[^\n]*\n|\s)*@relation\b`), "an ARFF file"},
	{regexp.MustCompile(`(?i)^<(!doctype html|html|head|body|table)\b`), "an HTML page"},
	{regexp.MustCompile(`^<(\?xml|!--|[A-Za-z][\w:]*[\s>/])`), "XML"},
	{regexp.MustCompile(`^(\{\s*("|\})|\[\s*(\{|\[|"|\]))`), "JSON"},
	{regexp.MustCompile(`(?i)^(--[^\n]*\n|/\*[^\n]*\n|\s)*(create|drop|insert)\s+(table|database|into|schema)\b`), "an SQL script"},
	{regexp.MustCompile(`^#!`), "a script"},
	{regexp.MustCompile(`(?i)^%%matrixmarket`), "a Matrix Market file"},
	{regexp.MustCompile(`^\\documentclass`), "a LaTeX document"},
	{regexp.MustCompile("^(---\r?\n)?[\\w-]+:[ \t]*(\r?\n[ \t]+[\\w-]+:|\\{)"), "YAML"},
}

// Form returns the form of a text that is no table, by its first bytes. It returns "" if no form is known.
func Form(head []byte) string {
	start := bytes.TrimSpace(bytes.TrimPrefix(head, mark))
	for _, f := range forms {
		if f.start.Match(start) {
			return f.what
		}
	}
	return ""
}

// refuse returns the error of a file that is no text.
func refuse(head []byte, name string) error {
	what := Binary(head)
	if what == "" {
		return nil
	}
	hint := saveAs
	switch {
	case strings.HasPrefix(what, "UTF-"):
		encoding, _, _ := strings.Cut(what, " ")
		if head[0] == 0 && encoding == "UTF-16" {
			encoding += "BE" // without a mark of its own
		} else if head[1] == 0 && encoding == "UTF-16" {
			encoding += "LE"
		}
		hint = "write it as UTF-8: " + converted(encoding, name)
	case strings.HasPrefix(what, "compressed"), strings.HasSuffix(what, "archive"):
		hint = "unpack it, and give the text itself, or compress it with gzip, once, where that is read"
	}
	return fault.New(fmt.Sprintf("%s is %s", name, what), hint)
}

// converted returns the command that writes a file as UTF-8 beside it.
func converted(encoding, name string) string {
	folder, file := filepath.Split(name)
	return fmt.Sprintf("iconv -f %s -t UTF-8 %s > %s", encoding, Quoted(name), Quoted(folder+"utf8-"+file))
}

// Quoted returns a name as a word of a shell.
func Quoted(name string) string {
	if strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/-") == "" {
		return name
	}
	return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
}
