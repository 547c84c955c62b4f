// Package dossier writes the document for a board or an ethics committee. It describes a planned
// spec, a finished simulation, or one participant's run. It states the question, the answer in
// plain words, the assumptions, and who must be trusted. It lists the pairs and coalitions that
// learn most, and who could reconstruct whom without the noise. It gives the claim with its status
// and unit, and the commands that check all of it.
//
// A dossier is one page that carries its own numbers. The page is a function of the numbers, so a
// reader can check that the page shows them. Participants sign the bytes of the page. Losses come
// from plans, results and statements, because this package prices nothing itself.
package dossier
