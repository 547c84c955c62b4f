// Package tokens answers how much a coalition learns from walking tokens: the contributions that it finds, the privacy loss
// that it proves, and the changes that would stop it.
package tokens
