package hostname

import (
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
)

// A name that somebody else owns may lead here: only this machine's own names are answered.
func TestStrangersNamesAreNotAnswered(t *testing.T) {
	server := httptest.NewServer(Only([]string{"node1.example"}, "no", http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})))
	defer server.Close()
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	for host, want := range map[string]int{
		"127.0.0.1:" + port: 200, "localhost:" + port: 200, "LOCALHOST": 200, "[::1]:" + port: 200, "node1.example": 200, "Node1.example:" + port: 200,
		"evil.example": 421, "evil.example:" + port: 421, "127.0.0.1.evil.example": 421, "10.0.0.1:" + port: 421, "": 421,
	} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		if request.Host = host; host == "" {
			request.Host = " "
		}
		response, err := server.Client().Do(request)
		if err != nil {
			continue // refused before it was asked
		}
		response.Body.Close()
		if response.StatusCode != want && !(host == "" && response.StatusCode == http.StatusBadRequest) {
			t.Errorf("%q is answered %s, want %d", host, response.Status, want)
		}
	}
}
