package assembly

import (
	"fmt"
	"net"
	"regexp"
	"slices"
	"strconv"
	"strings"

	ma "github.com/multiformats/go-multiaddr"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/federation"
	"github.com/hearsay-dp/hearsay/node/identity"
)

const acceptancePurpose = "federation acceptance"

// An Acceptance holds everything that a participant tells about itself.
type Acceptance struct {
	Federation ID            `json:"federation"`
	Name       string        `json:"name"`
	Key        identity.Peer `json:"key"`
	Serial     int           `json:"serial"`    // the acceptance of a participant with the highest serial counts
	Addresses  []string      `json:"addresses"` // empty, not nil, if it dials the others
	Rows       int           `json:"rows"`      // number of records in its file; 0 if the unit is the participant
}

// Accept makes the acceptance of a participant and adds it. Its serial exceeds that of every
// earlier acceptance with the same key. Accept does nothing if the addresses and rows are
// unchanged.
func (g *Gathering) Accept(key identity.Key, name string, addresses []string, rows int) error {
	a := Acceptance{Federation: g.ID, Name: name, Key: key.Peer(), Serial: 1, Addresses: addresses, Rows: rows}
	if a.Addresses == nil {
		a.Addresses = []string{}
	}
	if before := g.Accepted(name); before != nil && before.Key == a.Key {
		if before.Rows == rows && slices.Equal(before.Addresses, a.Addresses) {
			return nil
		}
		a.Serial = before.Serial + 1
	}
	return g.add([]block{{acceptance, seal(key, acceptancePurpose, a)}}, nil)
}

// readAcceptance decodes and checks an acceptance. payload may come from anybody.
func (g *Gathering) readAcceptance(payload []byte) (*Acceptance, error) {
	a, err := open(payload, acceptance, acceptancePurpose, func(a *Acceptance) identity.Peer { return a.Key })
	if err != nil {
		return nil, err
	}
	if err := g.checkAcceptance(a); err != nil {
		return nil, fault.Wrap(err, fmt.Sprintf("the acceptance of %.70q", a.Name), fault.Hint(err))
	}
	return a, nil
}

// The limits of an acceptance.
const (
	mostSerial    = 1 << 20
	mostAddresses = 8
	mostAddress   = 200 // characters
	mostRows      = 1 << 26
)

func (g *Gathering) checkAcceptance(a *Acceptance) error {
	const again = "have it accept again, with hearsay federation accept"
	records := g.draft.Records()
	switch {
	case a.Federation != g.ID:
		return elsewhere(a.Federation)
	case !g.invited(a.Name):
		return fault.New("nobody of that name was invited", "those are "+strings.Join(g.Invitation.Names, ", "))
	case a.Name == g.Invitation.From && a.Key != g.Invitation.Key:
		return fault.New(fmt.Sprintf("its key is %s, and it has invited with %s", a.Key, g.Invitation.Key), "who invites accepts with the same key")
	case a.Serial < 1 || a.Serial > mostSerial:
		return fault.New(fmt.Sprintf("its serial is %d", a.Serial), again)
	case records && (a.Rows < 1 || a.Rows > mostRows):
		return fault.New(fmt.Sprintf("it has %d %ss", a.Rows, g.draft.RecordWord()), fmt.Sprintf("a participant brings 1 to %d", mostRows))
	case !records && a.Rows != 0:
		return fault.New("it says how many rows it has, which is protected with all else of it", again)
	case a.Addresses == nil || len(a.Addresses) > mostAddresses:
		return fault.New(fmt.Sprintf("it has %d addresses", len(a.Addresses)), fmt.Sprintf("give at most %d", mostAddresses))
	}
	for _, address := range a.Addresses {
		if err := checkAddress(address); err != nil {
			return err
		}
	}
	return nil
}

func elsewhere(of ID) error {
	return fault.New("it is for another federation: "+of.String()[:16], "each federation has a folder of its own; ask for the messages of this one")
}

// usable lists the protocols that an address may use.
var usable = map[int]bool{ma.P_IP4: true, ma.P_IP6: true, ma.P_DNS: true, ma.P_DNS4: true, ma.P_DNS6: true, ma.P_TCP: true, ma.P_UDP: true, ma.P_QUIC_V1: true}

// hostForm matches the name of a host.
var hostForm = regexp.MustCompile(`^[A-Za-z0-9_]([A-Za-z0-9_.-]*[A-Za-z0-9_])?$`)

// checkAddress returns an error unless text is an address that others can dial, in the usual
// spelling.
func checkAddress(text string) error {
	const hint = "give host:port, or a multiaddress such as /dns4/hearsay.lyon.example/tcp/4100"
	if len(text) > mostAddress {
		return fault.New(fmt.Sprintf("%.60q... is no address", text), hint)
	}
	read, err := federation.Addresses([]string{text})
	if err != nil {
		return err
	}
	if read[0].String() != text {
		return fault.New(fmt.Sprintf("address %q is not spelt %s", text, read[0]), "write the latter")
	}
	for _, part := range read[0] {
		if !usable[part.Code()] {
			return fault.New(fmt.Sprintf("address %q: /%s is not used here", text, part.Protocol().Name), hint)
		}
		if strings.HasPrefix(part.Protocol().Name, "dns") && !hostForm.MatchString(part.Value()) {
			return fault.New(fmt.Sprintf("address %q: %q is not a host's name", text, part.Value()), hint)
		}
		if ip := net.ParseIP(part.Value()); ip != nil && ip.IsUnspecified() {
			return fault.New(fmt.Sprintf("address %q is nowhere that others could dial", text), "give the address by which others reach this machine; --listen of hearsay node says where to listen")
		}
	}
	return nil
}

// Reach converts addresses as people write them. It accepts multiaddresses, and host:port for QUIC
// and TCP on that port.
func Reach(texts []string) (all []string, err error) {
	for _, text := range texts {
		if !strings.HasPrefix(text, "/") {
			both, err := hostPort(text)
			if err != nil {
				return nil, err
			}
			all = append(all, both...)
			continue
		}
		all = append(all, text)
	}
	for _, address := range all {
		if err := checkAddress(address); err != nil {
			return nil, err
		}
	}
	if len(all) > mostAddresses {
		return nil, fault.New(fmt.Sprintf("%d addresses", len(all)), fmt.Sprintf("give at most %d", mostAddresses))
	}
	return all, nil
}

func hostPort(text string) ([]string, error) {
	host, port, err := net.SplitHostPort(text)
	number, bad := strconv.ParseUint(port, 10, 16)
	if err != nil || bad != nil || number == 0 || host == "" || strings.ContainsAny(host, "/%") {
		return nil, fault.New(fmt.Sprintf("address %.80q is not host:port", text), "give host:port, or a multiaddress such as /dns4/hearsay.lyon.example/tcp/4100")
	}
	kind := "dns4"
	if ip := net.ParseIP(host); ip != nil {
		kind, host = "ip6", ip.String()
		if ip.To4() != nil {
			kind = "ip4"
		}
	}
	return []string{fmt.Sprintf("/%s/%s/udp/%d/quic-v1", kind, host, number), fmt.Sprintf("/%s/%s/tcp/%d", kind, host, number)}, nil
}
