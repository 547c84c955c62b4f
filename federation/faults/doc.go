// Package faults holds tests of federations of real processes while something
// goes wrong: nodes are killed, disks fill up, links fail, strangers and hostile
// neighbours call. After each run the ledgers, the models and the memory of all
// nodes are held against what must be true whatever has happened.
//
// The tests build the program with the tag failpoints and start it as
// participants do. What takes long is behind the flag -heavy:
//
//	go test ./federation/faults -heavy -timeout 30m
//
// With -short only the quickest run.
//
// Tests that join network namespaces need root, ip and nft, and are skipped
// without them. The folder of a test that failed is kept.
package faults
