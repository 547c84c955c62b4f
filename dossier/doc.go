// Package dossier is the document for a board or an ethics committee: about a spec that is
// planned, a simulation that has run, or one participant's run. It says what is asked, the
// answer in plain words, what is assumed and who must be trusted, which pairs and coalitions
// learn most, who could reconstruct whom without the noise, the claim with its status and
// unit, and how to check all of it.
//
// A dossier is one page that carries its own numbers. The page is a function of the numbers,
// so that whoever checks it can tell whether what is shown is what they say; participants sign
// the bytes of the page. Losses are those of plans, results and statements: nothing here prices
// anything by itself.
package dossier
