// Package browser tests the dashboard's page in a real browser. It has tests only, which are
// skipped without Chromium. testdata/axe.min.js is axe-core 4.14.1 (Mozilla Public License
// 2.0), unchanged. It is not part of the program.
package browser
