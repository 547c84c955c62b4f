package trained

import (
	"encoding/binary"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/hearsay-dp/hearsay/internal/math"
)

// Field numbers of the messages of onnx.proto3, as far as they are used. They are
// defined in https://github.com/onnx/onnx/blob/main/onnx/onnx.proto3.
const (
	modelIRVersion, modelProducer         = 1, 2
	modelGraph, modelOpset, modelMetadata = 7, 8, 14

	opsetDomain, opsetVersion = 1, 2
	entryKey, entryValue      = 1, 2

	graphNode, graphName, graphInitializer, graphInput, graphOutput = 1, 2, 5, 11, 12

	nodeInput, nodeOutput, nodeName, nodeOp, nodeAttribute = 1, 2, 3, 4, 5

	attributeName, attributeInt, attributeInts, attributeType = 1, 3, 8, 20

	tensorDims, tensorType, tensorStrings, tensorName, tensorRaw = 1, 2, 6, 8, 9

	infoName, infoType                 = 1, 2
	typeTensor, tensorElem, tensorDim  = 1, 1, 2
	shapeDim, dimensionValue, dimParam = 1, 1, 2
)

// Element types of tensors, and types of attributes.
const (
	elemInt64, elemString, elemDouble = 7, 8, 11
	typeInt, typeInts                 = 2, 7
)

// graph collects nodes and constants.
type graph struct {
	nodes, constants [][]byte
	count            int
}

// node adds an operation and returns the name of its output.
func (g *graph) node(op string, inputs ...string) string { return g.nodeWith(op, nil, inputs...) }

func (g *graph) nodeWith(op string, attributes []attribute, inputs ...string) string {
	g.count++
	name := fmt.Sprintf("%s_%d", op, g.count)
	g.named(op, name, attributes, inputs...)
	return name
}

// named adds an operation whose output has the given name.
func (g *graph) named(op, output string, attributes []attribute, inputs ...string) {
	var b []byte
	for _, input := range inputs {
		b = text(b, nodeInput, input)
	}
	b = text(b, nodeOutput, output)
	b = text(b, nodeName, "make_"+output)
	b = text(b, nodeOp, op)
	for _, a := range attributes {
		b = nested(b, nodeAttribute, a)
	}
	g.nodes = append(g.nodes, b)
}

// An attribute is an encoded attribute of a node.
type attribute []byte

func integer(name string, value int64) attribute {
	b := text(nil, attributeName, name)
	b = number64(b, attributeInt, value)
	return number64(b, attributeType, typeInt)
}

func ints(name string, values ...int64) attribute {
	b := text(nil, attributeName, name)
	for _, v := range values {
		b = number64(b, attributeInts, v)
	}
	return number64(b, attributeType, typeInts)
}

// constant adds a tensor of doubles.
func (g *graph) constant(name string, values []float64, dims ...int) string {
	raw := make([]byte, 0, 8*len(values))
	for _, v := range values {
		raw = binary.LittleEndian.AppendUint64(raw, math.Float64bits(v))
	}
	return g.tensor(name, elemDouble, raw, dims...)
}

// shape adds a tensor of integers.
func (g *graph) shape(name string, values ...int64) string {
	var raw []byte
	for _, v := range values {
		raw = binary.LittleEndian.AppendUint64(raw, uint64(v))
	}
	return g.tensor(name, elemInt64, raw, len(values))
}

func (g *graph) tensor(name string, elem int64, raw []byte, dims ...int) string {
	var b []byte
	for _, d := range dims {
		b = number64(b, tensorDims, int64(d))
	}
	b = number64(b, tensorType, elem)
	b = text(b, tensorName, name)
	g.constants = append(g.constants, nested(b, tensorRaw, raw))
	return name
}

// texts adds a tensor of strings.
func (g *graph) texts(name string, values []string) string {
	b := number64(nil, tensorDims, int64(len(values)))
	b = number64(b, tensorType, elemString)
	for _, v := range values {
		b = text(b, tensorStrings, v)
	}
	g.constants = append(g.constants, text(b, tensorName, name))
	return name
}

// valueInfo returns an input or output with one row for each example and columns
// columns. If columns is 0 it is a vector.
func valueInfo(name string, elem int64, columns int) []byte {
	shape := nested(nil, shapeDim, text(nil, dimParam, "rows"))
	if columns > 0 {
		shape = nested(shape, shapeDim, number64(nil, dimensionValue, int64(columns)))
	}
	tensor := nested(number64(nil, tensorElem, elem), tensorDim, shape)
	return nested(text(nil, infoName, name), infoType, nested(nil, typeTensor, tensor))
}

// encode returns the encoded model.
func (g *graph) encode(metadata [][2]string, input []byte, outputs [][]byte) []byte {
	var b []byte
	for _, node := range g.nodes {
		b = nested(b, graphNode, node)
	}
	b = text(b, graphName, "hearsay")
	for _, constant := range g.constants {
		b = nested(b, graphInitializer, constant)
	}
	b = nested(b, graphInput, input)
	for _, output := range outputs {
		b = nested(b, graphOutput, output)
	}
	whole := number64(nil, modelIRVersion, irVersion)
	whole = text(whole, modelProducer, "hearsay")
	whole = nested(whole, modelGraph, b)
	whole = nested(whole, modelOpset, number64(text(nil, opsetDomain, ""), opsetVersion, Opset))
	for _, entry := range metadata {
		whole = nested(whole, modelMetadata, text(text(nil, entryKey, entry[0]), entryValue, entry[1]))
	}
	return whole
}

func text(b []byte, field protowire.Number, s string) []byte { return nested(b, field, []byte(s)) }

func nested(b []byte, field protowire.Number, message []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), message)
}

func number64(b []byte, field protowire.Number, v int64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), uint64(v))
}
