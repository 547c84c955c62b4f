package federation

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/hostname"
	"github.com/hearsay-dp/hearsay/node"
)

// EndpointFile names the health endpoint of a running node, in its folder.
const EndpointFile = "status.json"

// endpoint is the content of EndpointFile.
type endpoint struct {
	Address string   `json:"address"`
	PID     int      `json:"pid"`
	Listen  []string `json:"listen"` // addresses where neighbours reach the node, with the ports that it chose itself
}

// A server is a health endpoint. nil stands for none.
type server struct {
	http *http.Server
	file string
}

// serve opens the health endpoint at o.Status, and writes its address to EndpointFile. It returns
// nil if o.Status is empty.
func serve(o *Options, n *node.Node, listens []string) (*server, error) {
	if o.Status == "" {
		return nil, nil
	}
	listener, err := net.Listen("tcp", o.Status)
	if err != nil {
		return nil, err
	}
	s := &server{http: &http.Server{Handler: hostname.Only(o.hosts(), "this node's status is not served under that name; start it with --status-host NAME if it should be", node.Handler(n)), ReadHeaderTimeout: 5 * time.Second, IdleTimeout: time.Minute},
		file: filepath.Join(o.Dir, EndpointFile)}
	go func() { _ = s.http.Serve(listener) }() // ends with stop
	o.Log.Info("health endpoint", "address", listener.Addr().String())
	return s, writeJSON(s.file, endpoint{Address: listener.Addr().String(), PID: os.Getpid(), Listen: listens})
}

// hosts returns the host names under which the endpoint answers: o.StatusHosts and the host of o.Status.
func (o *Options) hosts() []string {
	name, _, err := net.SplitHostPort(o.Status)
	if err != nil || name == "" {
		return o.StatusHosts
	}
	return append(o.StatusHosts[:len(o.StatusHosts):len(o.StatusHosts)], name)
}

func (s *server) stop() {
	if s != nil {
		_ = s.http.Close()
		_ = os.Remove(s.file)
	}
}

// Listening returns the addresses on which the node of a folder listens. It returns an error if no
// node runs there.
func Listening(dir string) ([]string, error) {
	var e endpoint
	err := readJSON(filepath.Join(dir, EndpointFile), &e)
	return e.Listen, err
}

// largestStatus is the maximal number of bytes that are read of a status.
const largestStatus = 1 << 20

// AskStatus asks a running node for its status. where is the address of its endpoint or the folder
// of its ledger.
func AskStatus(ctx context.Context, where string) (node.Status, error) {
	var status node.Status
	address := where
	info, err := os.Stat(where)
	switch {
	case err == nil && info.IsDir():
		var e endpoint
		if err := readJSON(filepath.Join(where, EndpointFile), &e); err != nil {
			return status, fault.New(where+" is not the folder of a running node", "start it, or read what it has released with hearsay ledger show")
		}
		address = e.Address
	case !strings.Contains(where, ":"): // an address has a port
		return status, fault.New(where+": there is no such folder", "give the folder of a node's ledger (node --dir), or the address with its port that the node logged as health endpoint")
	}
	return askAt(ctx, http.DefaultClient, address)
}

// AskHere asks the node of a folder for its status, at the address in the folder. It contacts this
// machine only, because a folder from elsewhere must not choose the address that this machine
// contacts.
func AskHere(ctx context.Context, dir string) (node.Status, error) {
	var e endpoint
	if err := readJSON(filepath.Join(dir, EndpointFile), &e); err != nil {
		return node.Status{}, fault.New(EndpointFile+" cannot be read", "see that the node runs")
	}
	address, err := here(e.Address)
	if err != nil {
		return node.Status{}, err
	}
	alone := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return askAt(ctx, alone, address)
}

// here returns the loopback address under which this machine reaches an endpoint. An endpoint that
// does not listen there is an error.
func here(address string) (string, error) {
	at, err := netip.ParseAddrPort(address)
	switch {
	case err != nil:
		return "", fault.New("its health endpoint has no address and port", "see that the node runs")
	case at.Addr().IsLoopback():
		return address, nil
	case at.Addr().IsUnspecified() && at.Addr().Is4():
		return netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), at.Port()).String(), nil
	case at.Addr().IsUnspecified():
		return netip.AddrPortFrom(netip.IPv6Loopback(), at.Port()).String(), nil
	}
	return "", fault.New("its health endpoint is not on the loopback interface of this machine", "ask it with hearsay status "+at.String())
}

// askAt asks the endpoint at address for the node's status.
func askAt(ctx context.Context, client *http.Client, address string) (node.Status, error) {
	var status node.Status
	url := "http://" + strings.TrimPrefix(strings.TrimSuffix(address, "/status"), "http://") + "/status"
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return status, fault.Wrap(err, "status address", "give host:port, or the node's folder")
	}
	response, err := client.Do(request)
	if err != nil {
		return status, fault.Wrap(err, "the node does not answer", "check that it runs, and the address that it logged as health endpoint")
	}
	defer response.Body.Close()
	if err := json.NewDecoder(http.MaxBytesReader(nil, response.Body, largestStatus)).Decode(&status); err != nil || response.StatusCode != http.StatusOK {
		return status, fault.New(fmt.Sprintf("%s answers %s, not with a node's status", address, response.Status),
			"give the address that the node logged as health endpoint")
	}
	return status, nil
}
