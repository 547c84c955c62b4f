// Package loopback keeps TCP ports of this machine for processes that are going
// to listen on them, so that an address can be written down before anybody is
// there, and nobody else is given it meanwhile.
package loopback

import (
	"errors"
	"net"
	"strconv"
)

// Host is the address that ports are of.
const Host = "127.0.0.1"

// A Port is kept until it is closed. Whoever listens on it by its number may, also
// several one after the other.
type Port struct {
	Number int
	close  func() error
}

// Close lets the port go. Who listens on it is not disturbed.
func (p *Port) Close() error { return p.close() }

// Address is the port as host:port.
func (p *Port) Address() string { return net.JoinHostPort(Host, strconv.Itoa(p.Number)) }

// Multiaddress is Address as nodes write it.
func (p *Port) Multiaddress() string { return "/ip4/" + Host + "/tcp/" + strconv.Itoa(p.Number) }

// Ports are kept together.
type Ports []*Port

// Close lets all go.
func (all Ports) Close() error {
	var errs []error
	for _, p := range all {
		errs = append(errs, p.Close())
	}
	return errors.Join(errs...)
}
