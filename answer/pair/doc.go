// Package pair answers what one node could tell about another: in words, by an attack, and for the dashboard.
package pair
