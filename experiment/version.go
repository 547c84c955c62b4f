package experiment

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// release is the version of a released build (cmd/release), set by the linker.
var release string

// Version returns the release's version, else the module's, with the revision it was built from.
func Version() string {
	if release != "" {
		return release
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	v := info.Main.Version
	for _, setting := range info.Settings {
		if setting.Key == "vcs.revision" && len(setting.Value) > 12 && (v == "" || v == "(devel)") {
			v = setting.Value[:12]
		}
	}
	return v
}

// Build names the Go version, the platform and the revision of the program.
func Build() string {
	text := fmt.Sprintf("built by %s for %s/%s", runtime.Version(), runtime.GOOS, runtime.GOARCH)
	settings := map[string]string{}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, setting := range info.Settings {
			settings[setting.Key] = setting.Value
		}
	}
	revision := settings["vcs.revision"]
	switch {
	case release != "":
		return text
	case revision == "":
		return text + ", without a revision (go build -buildvcs=true notes it in a clone)"
	case settings["vcs.modified"] == "true":
		return text + ", revision " + revision + " of " + settings["vcs.time"] + ", with changes that are in no revision"
	}
	return text + ", revision " + revision + " of " + settings["vcs.time"]
}
