// Package hostname distinguishes requests that name this machine from requests by a name that somebody else controls. Without
// this check a page of another site, read in a browser of this machine, could reach any server on loopback.
package hostname

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// Known reports whether a request names this machine. It may name the address that it came in on, a loopback name or address if
// it came in there, or one of the given names, with a port or without.
func Known(r *http.Request, names []string) bool {
	name := withoutPort(r.Host)
	if slices.ContainsFunc(names, func(h string) bool { return strings.EqualFold(h, name) || strings.EqualFold(h, r.Host) }) {
		return true
	}
	at, known := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !known {
		return false
	}
	local, err := netip.ParseAddrPort(at.String())
	if err != nil {
		return false
	}
	here := local.Addr().Unmap().WithZone("")
	if here.IsLoopback() && strings.EqualFold(name, "localhost") {
		return true
	}
	asked, err := netip.ParseAddr(name)
	if err != nil {
		return false
	}
	asked = asked.Unmap().WithZone("")
	return asked == here || asked.IsLoopback() && here.IsLoopback()
}

// withoutPort returns a Host header without its port and brackets.
func withoutPort(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
}

// Only passes on requests that Known accepts, and answers all others with 421 and why.
func Only(names []string, why string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !Known(r, names) {
			http.Error(w, why, http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}
