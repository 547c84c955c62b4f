package main

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/hearsay-dp/hearsay/internal/loopback"
	"github.com/hearsay-dp/hearsay/internal/yamltext"
)

// A container is a service of deploy/compose.yaml.
type container struct {
	Image, User, Restart string
	Build                struct{ Context, Dockerfile, Target string }
	ReadOnly             bool     `yaml:"read_only"`
	CapDrop              []string `yaml:"cap_drop"`
	SecurityOpt          []string `yaml:"security_opt"`
	MemLimit             string   `yaml:"mem_limit"`
	PidsLimit            int      `yaml:"pids_limit"`
	Networks             []string
	Volumes, Command     []string
}

// readCompose reads deploy/compose.yaml, which must have no key that is not listed here.
func readCompose() (map[string]container, error) {
	const path = "../../deploy/compose.yaml"
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	doc, err := yamltext.NewDocument(text, len(text), path)
	if err != nil {
		return nil, err
	}
	var file struct {
		Name     string
		Hospital container `yaml:"x-hospital"`
		Services map[string]container
		Networks map[string]struct{ Internal bool }
	}
	err = doc.Decode(&file)
	for name, c := range file.Services {
		if build := filepath.Join("../../deploy", c.Build.Context, c.Build.Dockerfile); err == nil {
			_, err = os.Stat(build)
		}
		if !c.ReadOnly || c.CapDrop[0] != "ALL" || !file.Networks[c.Networks[0]].Internal || len(c.Volumes) != 1 {
			err = errors.Join(err, fmt.Errorf("%s can do more than it must: %+v", name, c))
		}
	}
	return file.Services, err
}

// compose runs the command of every container of deploy/compose.yaml as a process, in the folder that the container has as /data.
// Ports of this machine stand in for the network of the containers, in their specs and commands. The run is a short one.
func compose(ts *testscript.TestScript, _ bool, _ []string) {
	services, err := readCompose()
	ts.Check(err)
	ports, err := loopback.Hold(len(services))
	ts.Check(err)
	defer ports.Close()
	short := []string{"steps: 20, gossip_steps: 40", "steps: 2, gossip_steps: 4", "linger: 5s", "linger: 1s"}
	names := slices.Sorted(maps.Keys(services))
	for i, name := range names {
		short = append(short, "/dns4/"+name+"/tcp/4100", ports[i].Multiaddress())
	}
	var nodes []*exec.Cmd
	said := make([]bytes.Buffer, len(names))
	for i, name := range names {
		c := services[name]
		folder, inside, _ := strings.Cut(c.Volumes[0], ":")
		if inside != "/data" {
			ts.Fatalf("%s has its folder at %s, and /data is where the image works", name, inside)
		}
		spec := ts.MkAbs(filepath.Join("deploy", folder, "spec.yaml"))
		text := strings.NewReplacer(short...).Replace(ts.ReadFile(spec))
		ts.Check(os.WriteFile(spec, []byte(text), 0o600))
		port := strings.NewReplacer("/ip4/0.0.0.0/tcp/4100", ports[i].Multiaddress())
		for k := range c.Command {
			c.Command[k] = port.Replace(c.Command[k])
		}
		node := process(ts, c.Command)
		node.Dir, node.Stderr = filepath.Dir(spec), &said[i]
		ts.Check(node.Start())
		nodes = append(nodes, node)
	}
	for i, node := range nodes {
		if err := node.Wait(); err != nil {
			ts.Fatalf("%s: %v: %s", names[i], err, said[i].String())
		}
	}
}
