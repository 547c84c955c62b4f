package web

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"
)

const goodToken = "a token of enough characters"

// guarded is a server on loopback whose page says "in".
func guarded(t *testing.T, g *Guard) *httptest.Server {
	g.Session, g.Now = strings.Repeat("s", 64), time.Now
	server := httptest.NewServer(g.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "in") })))
	t.Cleanup(server.Close)
	return server
}

// asked is the code of a GET with so many headers, name and value by turns; no redirect is followed.
func asked(t *testing.T, server *httptest.Server, method, path, host string, headers ...string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, server.URL+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if host != "" {
		r.Host = host
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = answer.Body.Close() })
	return answer
}

// A name that is not this machine's is one that another site can point here.
func TestOtherNamesAreNotServed(t *testing.T) {
	server := guarded(t, &Guard{Hosts: []string{"trials.example.org"}})
	port := strings.TrimPrefix(server.URL, "http://127.0.0.1")
	for host, want := range map[string]int{
		"127.0.0.1" + port: 200, "localhost" + port: 200, "LOCALHOST:9": 200, "localhost": 200, "[::1]:8440": 200, "127.0.0.1": 200,
		"trials.example.org": 200, "trials.example.org:443": 200,
		"evil.example": 421, "evil.example" + port: 421, "localhost.evil.example": 421, "127.0.0.1.evil.example": 421, "192.0.2.1" + port: 421,
		"[::ffff:127.0.0.1]:80": 200, "0.0.0.0" + port: 421, "trials.example.org.evil.example": 421,
	} {
		if got := asked(t, server, "GET", "/", host).StatusCode; got != want {
			t.Errorf("Host %s: %d, want %d", host, got, want)
		}
	}
}

// What another site's page asks is refused; to follow a link from there to the first page is not.
func TestOtherSitesAreRefused(t *testing.T) {
	server := guarded(t, &Guard{})
	host := strings.TrimPrefix(server.URL, "http://")
	for _, c := range []struct {
		path    string
		headers []string
		want    int
	}{
		{"/api/list", nil, 200},
		{"/api/list", []string{"Origin", "http://" + host}, 200},
		{"/api/list", []string{"Origin", "http://evil.example"}, 403},
		{"/api/list", []string{"Origin", "null"}, 403},
		{"/api/list", []string{"Origin", "http://localhost:1"}, 403},
		{"/api/list", []string{"Origin", "http://%zz"}, 403},
		{"/api/list", []string{"Sec-Fetch-Site", "same-origin"}, 200},
		{"/api/list", []string{"Sec-Fetch-Site", "cross-site"}, 403},
		{"/api/list", []string{"Sec-Fetch-Site", "same-site"}, 403},
		{"/", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"}, 200},
		{"/", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "iframe"}, 403},
		{"/files/x/result.json", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"}, 403},
	} {
		if got := asked(t, server, "GET", c.path, "", c.headers...).StatusCode; got != c.want {
			t.Errorf("%s with %v: %d, want %d", c.path, c.headers, got, c.want)
		}
	}
}

func TestNothingCanBeWritten(t *testing.T) {
	server := guarded(t, &Guard{})
	for _, method := range []string{"POST", "PUT", "DELETE", "PATCH", "OPTIONS"} {
		if got := asked(t, server, method, "/api/list", "").StatusCode; got != 405 {
			t.Errorf("%s: %d", method, got)
		}
	}
}

func TestEveryAnswerIsHardened(t *testing.T) {
	server := guarded(t, &Guard{Token: goodToken})
	for _, path := range []string{"/", "/login", "/api/list", "/nothing"} {
		h := asked(t, server, "GET", path, "").Header
		if !strings.HasPrefix(h.Get("Content-Security-Policy"), "default-src 'self'") || h.Get("X-Content-Type-Options") != "nosniff" || h.Get("X-Frame-Options") != "DENY" {
			t.Errorf("%s: %v", path, h)
		}
	}
}

func TestTheTokenIsWanted(t *testing.T) {
	server := guarded(t, &Guard{Token: goodToken})
	for _, c := range []struct {
		path, header string
		want         int
	}{
		{"/", "", 303}, {"/api/list", "", 401}, {"/login", "", 200}, {"/assets/app.js", "", 200}, {"/files/a/b", "", 401},
		{"/api/list", "Bearer " + goodToken, 200}, {"/api/list", "Bearer " + goodToken + "x", 401}, {"/api/list", "Bearer ", 401}, {"/api/list", goodToken, 401},
	} {
		if got := asked(t, server, "GET", c.path, "", "Authorization", c.header).StatusCode; got != c.want {
			t.Errorf("%s with %q: %d, want %d", c.path, c.header, got, c.want)
		}
	}
}

// loggedIn is the answer to the form.
func loggedIn(t *testing.T, server *httptest.Server, token string) *http.Response {
	t.Helper()
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := client.PostForm(server.URL+"/login", url.Values{"token": {token}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = answer.Body.Close() })
	return answer
}

func TestLoginGivesACookie(t *testing.T) {
	g := &Guard{Token: goodToken}
	server := guarded(t, g)
	if wrong := loggedIn(t, server, "another"); wrong.Header.Get("Location") != "/login?wrong" || len(wrong.Cookies()) != 0 {
		t.Fatalf("a wrong token: %v", wrong.Header)
	}
	answer := loggedIn(t, server, " "+goodToken+"\n")
	if len(answer.Cookies()) != 1 || answer.Header.Get("Location") != "/" {
		t.Fatalf("the right one: %v", answer.Header)
	}
	c := answer.Cookies()[0]
	if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Path != "/" || strings.Contains(c.Value, goodToken) {
		t.Errorf("the cookie is %v", c)
	}
	if got := asked(t, server, "GET", "/api/list", "", "Cookie", c.Name+"="+c.Value).StatusCode; got != 200 {
		t.Errorf("with the cookie: %d", got)
	}
	g.Session = strings.Repeat("t", 64) // the next start
	if got := asked(t, server, "GET", "/api/list", "", "Cookie", c.Name+"="+c.Value).StatusCode; got != 401 {
		t.Errorf("with the cookie of another start: %d", got)
	}
}

// Tokens cannot be tried at any speed.
func TestGuessingIsSlow(t *testing.T) {
	g := &Guard{Token: goodToken, Session: strings.Repeat("s", 64)}
	now := time.Unix(1, 0)
	g.Now = func() time.Time { return now }
	for range mostWrong {
		if g.right("wrong") {
			t.Fatal("a wrong token is right")
		}
	}
	if g.right(goodToken) {
		t.Error("after many wrong ones in a second another one was looked at")
	}
	if now = now.Add(time.Second); !g.right(goodToken) {
		t.Error("a second later the token is refused")
	}
}

func TestATokenIsWantedBeyondLoopback(t *testing.T) {
	for _, a := range []Access{
		{Address: "0.0.0.0:0"}, {Address: "[::]:0"}, {Address: ":0"}, {Address: "192.0.2.1:0"}, {Address: "example.org:0"}, {Address: "127.0.0.1:0", Hosts: []string{"trials.example.org"}},
		{Address: "127.0.0.1"}, {Address: ""},
	} {
		if l, err := a.Listen(); err == nil {
			_ = l.Close()
			t.Errorf("%v was opened without a token", a)
		}
	}
	for _, a := range []Access{{Address: "127.0.0.1:0"}, {Address: "0.0.0.0:0", Token: goodToken}} {
		l, err := a.Listen()
		if err != nil {
			t.Errorf("%v: %v", a, err)
			continue
		}
		_ = l.Close()
	}
}
