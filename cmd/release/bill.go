package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"
)

// A bill is a bill of materials in CycloneDX 1.5, with the fields of the format that are used here.
type bill struct {
	Schema       string       `json:"$schema"`
	Format       string       `json:"bomFormat"`
	SpecVersion  string       `json:"specVersion"`
	Serial       string       `json:"serialNumber"`
	Version      int          `json:"version"`
	Metadata     metadata     `json:"metadata"`
	Components   []component  `json:"components"`
	Dependencies []dependency `json:"dependencies"`
}

type metadata struct {
	Timestamp string    `json:"timestamp"`
	Component component `json:"component"`
}

type component struct {
	Ref        string     `json:"bom-ref"`
	Type       string     `json:"type"`
	Name       string     `json:"name"`
	Version    string     `json:"version"`
	URL        string     `json:"purl"`
	Hashes     []hash     `json:"hashes,omitempty"`
	Licences   []licences `json:"licenses,omitempty"`
	Properties []property `json:"properties,omitempty"`
}

type hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

// A licences holds one licence by its SPDX name, or an expression of several.
type licences struct {
	Licence    *licence `json:"license,omitempty"`
	Expression string   `json:"expression,omitempty"`
}

type licence struct {
	ID string `json:"id"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type dependency struct {
	Ref string   `json:"ref"`
	On  []string `json:"dependsOn"`
}

// billOf returns the bill of materials of a program as JSON. Its time is the time of the commit, and its serial number is a
// hash of the rest. The same program thus always has the same bill.
func billOf(program string, of commit, system, processor string, parts []part) ([]byte, error) {
	content, err := os.ReadFile(program)
	if err != nil {
		return nil, err
	}
	self := component{
		Type: "application", Name: "hearsay", Version: of.version, Hashes: []hash{{"SHA-256", fmt.Sprintf("%x", sha256.Sum256(content))}},
		URL:        fmt.Sprintf("pkg:golang/github.com/hearsay-dp/hearsay@%s?goos=%s&goarch=%s#cmd/hearsay", of.version, system, processor),
		Properties: []property{{"hearsay:goos", system}, {"hearsay:goarch", processor}},
	}
	self.Ref, self.Licences = self.URL, licensed("Apache-2.0")
	b := bill{
		Schema: "http://cyclonedx.org/schema/bom-1.5.schema.json", Format: "CycloneDX", SpecVersion: "1.5", Version: 1, Components: []component{},
		Metadata: metadata{Timestamp: of.time.Format(time.RFC3339), Component: self}, Dependencies: []dependency{{Ref: self.Ref, On: []string{}}},
	}
	for _, p := range parts {
		c := component{Ref: p.url, Type: "library", Name: p.name, Version: p.version, URL: p.url, Licences: licensed(p.licence())}
		if p.sum != "" {
			c.Properties = []property{{"hearsay:sum", p.sum}}
		}
		b.Components = append(b.Components, c)
		b.Dependencies[0].On = append(b.Dependencies[0].On, p.url)
	}
	text, err := json.Marshal(b)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(text)
	id := sum[:16]
	id[6], id[8] = id[6]&0x0f|0x80, id[8]&0x3f|0x80 // version 8 of RFC 9562: made of a hash
	b.Serial = fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
	text, err = json.MarshalIndent(b, "", "  ")
	return append(text, '\n'), err
}

// licensed returns the list with a licence. It returns nil if id is "", which means that the licence is unknown.
func licensed(id string) []licences {
	switch {
	case id == "":
		return nil
	case strings.Contains(id, " "):
		return []licences{{Expression: id}}
	}
	return []licences{{Licence: &licence{id}}}
}
