package web

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/hearsay-dp/hearsay/internal/hostname"
)

// A Guard lets through who may ask.
type Guard struct {
	Token string   // "": whoever reaches the address may ask, which has to be on loopback
	Hosts []string // names besides this machine's own that the page is asked under, such as a proxy's

	Session string // random and new at each start, at least 32 characters: what the cookie is made of
	Now     func() time.Time

	mu     sync.Mutex
	wrong  int // attempts with a wrong token in this second
	second int64
}

// cookieName is the cookie of who has logged in.
const cookieName = "hearsay_dashboard"

// policy lets the page have what this server gives it and nothing else.
const policy = "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// Handler guards next.
func (g *Guard) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		harden(w.Header())
		switch {
		case !hostname.Known(r, g.Hosts):
			refuse(w, http.StatusMisdirectedRequest, "this page is not served under that name; start with --host NAME if it should be")
		case foreign(r):
			refuse(w, http.StatusForbidden, "requests that another site makes are refused")
		case r.Method != http.MethodGet && r.Method != http.MethodHead && r.URL.Path != "/login":
			w.Header().Set("Allow", "GET, HEAD")
			refuse(w, http.StatusMethodNotAllowed, "there is nothing here but to read")
		case r.URL.Path == "/login" && r.Method == http.MethodPost:
			g.login(w, r)
		case g.admits(r) || open(r.URL.Path):
			next.ServeHTTP(w, r)
		case r.URL.Path == "/":
			http.Redirect(w, r, "/login", http.StatusSeeOther)
		default:
			refuse(w, http.StatusUnauthorized, "log in first: open /login")
		}
	})
}

// harden sets what every answer says to browsers.
func harden(h http.Header) {
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "same-origin") // "no-referrer" would take the Origin away from the login form
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
}

// refuse answers with a line of text.
func refuse(w http.ResponseWriter, code int, why string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(code)
	_, _ = w.Write([]byte(why + "\n")) // who asked may have gone
}

// open reports whether a path is there for those who have not logged in: the page to do
// so, and what it is made of, which is the same for everybody.
func open(path string) bool {
	return path == "/login" || path == "/NOTICE" || strings.HasPrefix(path, "/assets/")
}

// foreign reports whether another site's page made the request: by its Origin, or by what
// the browser says of it. To come from a link elsewhere is no harm: it shows the page.
func foreign(r *http.Request) bool {
	if origin := r.Header.Get("Origin"); origin != "" {
		from, err := url.Parse(origin)
		return err != nil || from.Host == "" || !strings.EqualFold(from.Host, r.Host)
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none":
		return false
	}
	return r.Method != http.MethodGet || r.Header.Get("Sec-Fetch-Mode") != "navigate" || r.Header.Get("Sec-Fetch-Dest") != "document" || r.URL.Path != "/"
}

// admits reports whether a request brings the token, or the cookie of one who brought it.
func (g *Guard) admits(r *http.Request) bool {
	if g.Token == "" {
		return true
	}
	if given, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		return g.right(given)
	}
	cookie, err := r.Cookie(cookieName)
	return err == nil && same(cookie.Value, g.cookie())
}

// cookie is what the cookie holds: nothing from which the token could be told, and
// worthless after the next start.
func (g *Guard) cookie() string {
	sum := sha256.Sum256([]byte(g.Session + "\x00" + g.Token))
	return hex.EncodeToString(sum[:])
}

// same compares in a time that does not depend on where texts differ.
func same(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}

// mostWrong is how many wrong tokens are looked at in one second.
const mostWrong = 10

// right compares a token, unless too many wrong ones came in this second.
func (g *Guard) right(given string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if now := g.Now().Unix(); now != g.second {
		g.second, g.wrong = now, 0
	}
	if g.wrong >= mostWrong {
		return false
	}
	if !same(given, g.Token) {
		g.wrong++
		return false
	}
	return true
}

// login takes the token of a form and gives a cookie for it.
func (g *Guard) login(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 4096)
	if g.Token != "" && !g.right(strings.TrimSpace(r.PostFormValue("token"))) {
		http.Redirect(w, r, "/login?wrong", http.StatusSeeOther)
		return
	}
	http.SetCookie(w, &http.Cookie{Name: cookieName, Value: g.cookie(), Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode,
		Secure: r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https"})
	http.Redirect(w, r, "/", http.StatusSeeOther)
}
