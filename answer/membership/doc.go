// Package membership answers whether an attacker can tell which data a node holds, and what that proves of epsilon.
package membership
