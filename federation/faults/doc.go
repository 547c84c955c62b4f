// Package faults tests federations of real processes under faults. Nodes are killed, disks fill up,
// links fail, and strangers and hostile neighbours connect. After each run the tests compare the
// ledgers, the models and the memory of all nodes with the properties that must hold under every
// fault.
//
// The tests build the program with the tag failpoints and start it as participants do. Slow tests
// need the flag -heavy:
//
//	go test ./federation/faults -heavy -timeout 30m
//
// With -short only the fastest run is tested.
//
// Tests that join network namespaces need root, ip and nft, and are skipped
// without them. The folder of a test that failed is kept.
package faults
