package web

import (
	"embed"
	"mime"
	"net/http"
	"path"
)

// built holds the output of web/ui/build.mjs for web/ui.
//
//go:embed built
var built embed.FS

// assets lists the files of the page that are served by name.
var assets = []string{"app.css", "app.js", "icon.svg", "login.js"}

// Asset returns a file of the page, such as app.css. It panics if there is none of that name.
func Asset(name string) []byte {
	body, err := built.ReadFile("built/" + name)
	if err != nil {
		panic(err) // it is part of the program
	}
	return body
}

// pages adds the page and its assets.
func (s *Server) pages(mux *http.ServeMux) {
	mux.HandleFunc("GET /{$}", asset("index.html", "text/html; charset=utf-8"))
	mux.HandleFunc("GET /login", asset("login.html", "text/html; charset=utf-8"))
	mux.HandleFunc("GET /NOTICE", asset("NOTICE.txt", "text/plain; charset=utf-8"))
	for _, name := range assets {
		mux.HandleFunc("GET /assets/"+name, asset(name, mime.TypeByExtension(path.Ext(name))))
	}
}

// asset serves an embedded file.
func asset(name, kind string) http.HandlerFunc {
	body := Asset(name)
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.Header().Set("Cache-Control", "no-cache")
		_, _ = w.Write(body) // the client may have gone
	}
}
