// Package loopback reserves TCP ports of this machine for processes that will listen on them. Their addresses can be written
// down before that, and no other process gets them meanwhile.
package loopback

import (
	"errors"
	"net"
	"strconv"
)

// Host is the address of the ports.
const Host = "127.0.0.1"

// A Port is reserved until it is closed. Any process may listen on it by its number, also several one after the other.
type Port struct {
	Number int
	close  func() error
}

// Close ends the reservation. It does not disturb a listener.
func (p *Port) Close() error { return p.close() }

// Address returns the port as host:port.
func (p *Port) Address() string { return net.JoinHostPort(Host, strconv.Itoa(p.Number)) }

// Multiaddress returns the address as nodes write it.
func (p *Port) Multiaddress() string { return "/ip4/" + Host + "/tcp/" + strconv.Itoa(p.Number) }

// Ports are reserved together.
type Ports []*Port

// Close closes all ports.
func (all Ports) Close() error {
	var errs []error
	for _, p := range all {
		errs = append(errs, p.Close())
	}
	return errors.Join(errs...)
}
