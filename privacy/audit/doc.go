// Package audit bounds a privacy loss from below by what an attacker proved on
// runs, of any algorithm. It knows scores and no accountant; the audits that
// follow from an accountant's own view are beside it, in privacy/walkpath and
// privacy/gossipview.
package audit
