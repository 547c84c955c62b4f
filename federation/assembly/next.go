package assembly

import (
	"fmt"
	"path/filepath"

	"github.com/hearsay-dp/hearsay/internal/textfile"
)

// next returns the next steps for own, in order.
func (s *Status) next(own *Own) []string {
	if own == nil {
		return s.nextOutside()
	}
	file, folder := filepath.Join(own.Folder, TextFile), own.Folder
	switch self := s.member(own.Name); {
	case !self.Accepted:
		return []string{fmt.Sprintf("accept for yourself: hearsay federation accept %s %s --address HOST:PORT", folder, s.brings())}
	case len(s.Silent) > 0 && own.Name != s.From:
		return []string{
			fmt.Sprintf("send %s back to %s, who invites (a mail will do, as text or as a file)", file, s.From),
			fmt.Sprintf("read the terms, which are %s", filepath.Join(folder, TermsFile)),
			fmt.Sprintf("wait for what %s sends when all have accepted, and add it: hearsay federation add %s FILE", s.From, folder),
		}
	case len(s.Silent) > 0:
		return []string{
			fmt.Sprintf("send %s to those who have not accepted: %s (a mail will do, as text or as a file)", file, some(s.Silent)),
			fmt.Sprintf("each answers: hearsay federation accept federation.txt --as NAME %s --address HOST:PORT, and sends back its own federation.txt", s.brings()),
			fmt.Sprintf("add what comes back: hearsay federation add %s FILE...", folder),
		}
	case s.Hash == nil:
		return []string{
			"whoever it is about accepts again in its folder, with what is missing: hearsay federation accept FOLDER " + s.brings() + " --address HOST:PORT",
			fmt.Sprintf("add what it sends: hearsay federation add %s FILE...", folder),
		}
	case !self.Signed:
		return []string{
			fmt.Sprintf("look at what joining costs: hearsay plan %s --name %s", filepath.Join(folder, SpecFile), own.Name),
			fmt.Sprintf("write what you accept: hearsay policy > %s, then edit it", policyFile(own)),
			fmt.Sprintf("sign, which holds the plan against it: hearsay federation sign %s", folder),
		}
	case !s.Complete:
		return append(s.others(), fmt.Sprintf("send %s to all others; not known to have signed this spec: %s", file, some(s.Unsigned)),
			fmt.Sprintf("add what they send: hearsay federation add %s FILE...", folder))
	}
	return []string{
		"compare the words above with every other participant, on the telephone",
		fmt.Sprintf("see that all have your %s, or theirs says the same", file),
		"start: hearsay node " + s.nodeArguments(own),
	}
}

// brings returns the option with which a participant gives its rows to accept.
func (s *Status) brings() string {
	if s.external {
		return "--model PROGRAM"
	}
	return "--data FILE.csv"
}

// nextOutside returns the next steps for a reader who has no folder.
func (s *Status) nextOutside() []string {
	switch {
	case len(s.Silent) > 0:
		return []string{"waiting for " + some(s.Silent) + " to accept: hearsay federation accept FILE --as NAME " + s.brings() + " --address HOST:PORT"}
	case s.Hash == nil:
		return []string{"whoever it is about accepts again in its folder, with what is missing"}
	case !s.Complete:
		return append(s.others(), "waiting for "+some(s.Unsigned)+" to sign")
	}
	return []string{"all have signed; each compares the words with every other on the telephone, and starts its node"}
}

// others returns a line for each participant who has signed another spec.
func (s *Status) others() (lines []string) {
	for _, m := range s.Participants {
		switch {
		case m.Other != nil && s.Hash != nil && *m.Other == *s.Hash:
			lines = append(lines, fmt.Sprintf("%s has signed this spec as it comes of acceptances that are not known here: add its newest federation.txt, or have it sign again", m.Name))
		case m.Other != nil:
			lines = append(lines, fmt.Sprintf("%s has signed another spec (%s ...): somebody has said something since, or it runs another version; send it federation.txt and have it sign again",
				m.Name, Words(*m.Other)[0]))
		}
	}
	return lines
}

func (s *Status) member(name string) (m Member) {
	for _, m := range s.Participants {
		if m.Name == name {
			return m
		}
	}
	return m
}

func policyFile(own *Own) string {
	return filepath.Join(filepath.Dir(own.Key), own.Name+".policy.yaml")
}

// nodeArguments returns the command line arguments for a participant's node.
func (s *Status) nodeArguments(own *Own) string {
	rows := s.brings()
	switch {
	case own.Model != "":
		rows = "--model " + textfile.Quoted(own.Model)
	case own.Data != "":
		rows = "--data " + textfile.Quoted(own.Data) + own.Table.Flags()
	}
	text := fmt.Sprintf("%s --name %s %s --key %s", textfile.Quoted(filepath.Join(own.Folder, SpecFile)), own.Name, rows, textfile.Quoted(own.Key))
	if own.Policy != "" {
		text += " --policy " + textfile.Quoted(own.Policy)
	}
	return text
}
