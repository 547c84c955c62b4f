// Package design chooses a plan for a consortium. It reads who trusts whom, who may exchange messages and share secrets, and what
// the run may take (Wishes). It searches the families of algorithms, prices each plan with the sound accountants, rehearses it, and
// writes a spec that every policy accepts. If there is none, it names the smallest set of wishes that contradict each other.
package design
