// Package web shows runs, sweeps, studies and nodes in a browser. It has read-only handlers and
// a page that is part of the program (folder built, made from folder ui).
//
// # Trust
//
// Files are not trusted. Folders may hold any bytes. Files are opened only below the given
// folders (os.Root), only if they are regular, and each up to a size limit. Malformed files
// become a text on the page. Content of files is sent as JSON and shown as text.
//
// Clients are not trusted either. The Host name must be one of this machine or a given one, so
// that no other site can point its own name here. Requests from other sites' pages are refused.
// Beyond the loopback interface a token is required (Guard). Nothing is written below the
// folders, and no request changes anything.
//
// # Computation
//
// The package computes no privacy losses. It reads the losses that runs wrote, and the report's
// own script puts them into words. Explanations and statements of nodes come from functions
// that the program passes in (Options), the same that its commands call.
package web
