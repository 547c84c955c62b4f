package dataset

// KnownSet is a public data set.
type KnownSet struct {
	Name    string // as in Options.Source
	About   string // whose it is and under which terms
	Files   []KnownFile
	Archive *Archive // where Files can be had when they have no URL of their own
}

// KnownFile is one file of a public data set, identified by its bytes.
type KnownFile struct {
	Name   string
	Bytes  int64
	SHA256 string // hex
	Plain  string // SHA256 of the decompressed contents, "" if not compressed
	URL    string // whence exactly these bytes can be had, "" if unknown
}

// Archive is a download that a file is made from. Its checksum guards the
// download; the file's own checksum guards the extracted file.
type Archive struct {
	KnownFile
	Member string // the file inside the archive
}

const (
	uci    = "https://archive.ics.uci.edu/ml/machine-learning-databases/"
	libsvm = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/binary/"
	mnist  = "https://storage.googleapis.com/cvdf-datasets/mnist/"
)

// Catalogue lists the public data sets that Hearsay knows.
func Catalogue() []KnownSet {
	return []KnownSet{houses(), adult(), digitFiles(), heart()}
}

// KnownSetByName finds a data set in the Catalogue.
func KnownSetByName(name string) (KnownSet, error) {
	var names []string
	for _, set := range Catalogue() {
		if set.Name == name {
			return set, nil
		}
		names = append(names, set.Name)
	}
	return KnownSet{}, unknown("data set", name, names)
}

// houses.csv is a conversion: the columns of the archived table in the order
// of StatLib, with a header, every number in its shortest form.
func houses() KnownSet {
	return KnownSet{
		Name:  "houses",
		About: "Pace and Barry 1997, California block groups in the 1990 census; no explicit licence",
		Files: []KnownFile{{Name: "houses.csv", Bytes: 988572, SHA256: "786bbed3362cc106a1d879eb9bfc03b7ea6b8218580c9b1dd1f93bd31b04d3dd"}},
		Archive: &Archive{
			KnownFile: KnownFile{Name: "cal_housing.tgz", Bytes: 441963, SHA256: "aaa5c9a6afe2225cc2aed2723682ae403280c4a3695a2ddda4ffb5d8215ea681",
				URL: "https://ndownloader.figshare.com/files/5976036"},
			Member: "CaliforniaHousing/cal_housing.data",
		},
	}
}

func adult() KnownSet {
	return KnownSet{
		Name:  "adult",
		About: "Becker and Kohavi 1996 (UCI, CC BY 4.0), binary encoding a9a by Platt",
		Files: []KnownFile{
			{Name: "a9a", Bytes: 2329875, SHA256: "f5d5ffd8d865ff41328e7ee043e4b020816914ff6843ff15b98905ddbedce906", URL: libsvm + "a9a"},
			{Name: "a9a.t", Bytes: 1164628, SHA256: "1f448a153f0320399a7e40836eb207655b0bde0f21fc941cc472193daa9f5de9", URL: libsvm + "a9a.t"},
		},
	}
}

func digitFiles() KnownSet {
	files := []KnownFile{
		{Name: "train-images-idx3-ubyte.gz", Bytes: 9912422,
			SHA256: "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609",
			Plain:  "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db"},
		{Name: "train-labels-idx1-ubyte.gz", Bytes: 28881, SHA256: "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c",
			Plain: "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5"},
		{Name: "t10k-images-idx3-ubyte.gz", Bytes: 1648877, SHA256: "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6",
			Plain: "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7"},
		{Name: "t10k-labels-idx1-ubyte.gz", Bytes: 4542, SHA256: "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6",
			Plain: "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2"},
	}
	for i := range files {
		files[i].URL = mnist + files[i].Name
	}
	return KnownSet{Name: "mnist", About: "LeCun, Cortes and Burges; commonly stated as CC BY-SA 3.0", Files: files}
}

func heart() KnownSet {
	files := []KnownFile{
		{Name: "processed.cleveland.data", Bytes: 18461, SHA256: "a74b7efa387bc9d108d7d0115d831fe9b414b29ae7124f331b622b4efa0427c8"},
		{Name: "processed.hungarian.data", Bytes: 10263, SHA256: "d1ad108f785768cd3d7e82dc522e6f5a61eea93cccfb3a46ee8076f73fc3d796"},
		{Name: "processed.switzerland.data", Bytes: 4109, SHA256: "834a405ccf5b66ab4056bb77794adc8df0b7125186454c0a1d002d33c6c3b314"},
		{Name: "processed.va.data", Bytes: 6737, SHA256: "e7c93d8d0d2acdadfa4c5e8de768e2191e7f618b952e29623f1f0d5949ff6b8f"},
	}
	for i := range files {
		files[i].URL = uci + "heart-disease/" + files[i].Name
	}
	return KnownSet{Name: "heart", About: "Janosi, Steinbrunn, Pfisterer and Detrano 1988 (UCI, CC BY 4.0); name the principal investigators", Files: files}
}
