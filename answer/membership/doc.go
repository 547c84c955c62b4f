// Package membership answers whether attackers can tell which data a node holds, and which epsilon that proves.
package membership
