// Package web shows runs, sweeps, studies and nodes in a browser: handlers that only read,
// and a page that is part of the program (folder built, made from folder ui).
//
// # What it trusts
//
// Nothing that it reads. Folders may hold any bytes: files are opened below the folders given
// and nowhere else (os.Root), only regular ones, each up to a limit; what is not as it should
// be becomes a text on the page. Everything that a file says is sent as JSON and shown as text.
//
// Nor whoever asks. The name in Host is this machine's or one that was given, so that no
// other site can point its own name here; a request that another site's page makes is
// refused; beyond the loopback interface a token is wanted (Guard). Nothing is ever written
// below the folders, and there is no request that changes anything.
//
// # What it computes
//
// No privacy number. Losses are looked up in what runs wrote, and put into words by the
// report's own script; explanations and nodes' statements come from functions that the
// program passes in (Options), the same that its commands call.
package web
