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

// A Guard decides which requests are served.
type Guard struct {
	Token string   // "": every request is served; the address must be on loopback
	Hosts []string // further Host names of the page, such as a proxy's

	Session string // random and new at each start, at least 32 characters; the cookie is derived from it
	Now     func() time.Time

	mu     sync.Mutex
	wrong  int // wrong tokens in this second
	second int64
}

// cookieName is the name of the login cookie.
const cookieName = "hearsay_dashboard"

// policy allows the page only content from this server.
const policy = "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// Handler returns a handler that guards next.
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

// harden sets the security headers of every response.
func harden(h http.Header) {
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "same-origin") // "no-referrer" would remove the Origin of the login form
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
}

// refuse responds with a line of text.
func refuse(w http.ResponseWriter, code int, why string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(code)
	_, _ = w.Write([]byte(why + "\n")) // the client may have gone
}

// open reports whether a path is served without login: the login page and the page's
// assets, which are the same for everyone.
func open(path string) bool {
	return path == "/login" || path == "/NOTICE" || strings.HasPrefix(path, "/assets/")
}

// foreign reports whether another site's page made the request, by its Origin or by the
// browser's Sec-Fetch headers. Following a link from another site is allowed, because it
// only shows the page.
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

// admits reports whether a request carries the token or the login cookie.
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

// cookie returns the value of the login cookie. It does not reveal the token and is
// invalid after the next start.
func (g *Guard) cookie() string {
	sum := sha256.Sum256([]byte(g.Session + "\x00" + g.Token))
	return hex.EncodeToString(sum[:])
}

// same compares texts in constant time.
func same(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}

// mostWrong is the largest number of wrong tokens that are compared in one second.
const mostWrong = 10

// right compares a token. It returns false if too many wrong ones came in this second.
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

// login checks the token of a form and sets the login cookie.
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
