// Package browser tests the dashboard's page in a real browser: it has tests alone, and they
// skip where there is no Chromium. testdata/axe.min.js is axe-core 4.14.1 (Mozilla Public
// License 2.0), unchanged; it is no part of the program.
package browser
