package house

import (
	"encoding/json"
	"errors"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/internal/testdata"
)

// What the root package returns can be named from outside of the module. With -v the test lists the
// declarations of other public packages that cannot.
func TestRootTypesCanBeNamed(t *testing.T) {
	testdata.Sequential(t)
	var all []string
	load := exports(t)
	for _, p := range packages(t) {
		if path := roomOf(p.ImportPath); strings.Contains(path, "internal") || strings.HasPrefix(path, "cmd/") {
			continue
		}
		found := unnameable(load(p.ImportPath))
		if p.ImportPath == module && len(found) > 0 {
			t.Errorf("%s are made of internal types: give them types of the package's own", strings.Join(found, ", "))
		}
		for _, name := range found {
			all = append(all, roomOf(p.ImportPath)+"."+name)
		}
	}
	t.Logf("%d exported declarations are made of internal types: %s", len(all), strings.Join(all, ", "))
}

// The check finds functions, fields and methods, and passes over what is not exported.
func TestUnnameableFindsInternalTypes(t *testing.T) {
	hidden := types.NewNamed(types.NewTypeName(token.NoPos, types.NewPackage(module+"/internal/x", "x"), "T", nil), types.NewStruct(nil, nil), nil)
	p := types.NewPackage(module+"/p", "p")
	add := func(name string, typ types.Type) {
		p.Scope().Insert(types.NewFunc(token.NoPos, p, name, types.NewSignatureType(nil, nil, nil, nil, types.NewTuple(types.NewParam(token.NoPos, p, "", typ)), false)))
	}
	add("Slice", types.NewSlice(types.NewPointer(hidden)))
	add("Plain", types.Typ[types.Int])
	add("private", hidden)
	field := func(name string) *types.Var { return types.NewField(token.NoPos, p, name, hidden, false) }
	name := types.NewTypeName(token.NoPos, p, "Struct", nil)
	named := types.NewNamed(name, types.NewStruct([]*types.Var{field("Shown"), field("kept")}, nil), nil)
	named.AddMethod(types.NewFunc(token.NoPos, p, "Call", types.NewSignatureType(types.NewVar(token.NoPos, p, "", named), nil, nil, types.NewTuple(field("x")), nil, false)))
	p.Scope().Insert(name)
	if got := unnameable(p); !slices.Equal(got, []string{"Slice", "Struct.Shown", "Struct.Call"}) {
		t.Errorf("found %q", got)
	}
}

// exports returns a function that loads the exported declarations of a package.
func exports(t *testing.T) func(path string) *types.Package {
	out, err := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Export", module+"/...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	files := map[string]string{}
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct{ ImportPath, Export string }
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		files[p.ImportPath] = p.Export
	}
	from := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) { return os.Open(files[path]) })
	return func(path string) *types.Package {
		p, err := from.Import(path)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
}

// unnameable lists the exported functions, variables, types, fields and methods of a package that are
// made of internal types.
func unnameable(p *types.Package) (found []string) {
	check := func(name string, typ types.Type) {
		if internalIn(typ) {
			found = append(found, name)
		}
	}
	for _, name := range p.Scope().Names() {
		object := p.Scope().Lookup(name)
		if !object.Exported() {
			continue
		}
		named, isNamed := object.Type().(*types.Named)
		if _, isType := object.(*types.TypeName); !isType || !isNamed || named.Obj().Pkg() != p {
			check(name, object.Type())
			continue
		}
		switch under := named.Underlying().(type) {
		case *types.Struct:
			for field := range under.Fields() {
				if field.Exported() {
					check(name+"."+field.Name(), field.Type())
				}
			}
		case *types.Interface:
			for method := range under.Methods() {
				check(name+"."+method.Name(), method.Type())
			}
		default:
			check(name, under)
		}
		for method := range named.Methods() {
			if method.Exported() {
				check(name+"."+method.Name(), method.Type())
			}
		}
	}
	return found
}

// internalIn reports whether a type is written with one of an internal package of the module.
func internalIn(typ types.Type) bool {
	switch typ := typ.(type) {
	case *types.Named:
		if p := typ.Obj().Pkg(); p != nil && strings.HasPrefix(p.Path(), module+"/internal/") {
			return true
		}
		return slices.ContainsFunc(slices.Collect(typ.TypeArgs().Types()), internalIn)
	case *types.Alias:
		return internalIn(types.Unalias(typ))
	case interface{ Elem() types.Type }: // pointer, slice, array, map, channel
		m, isMap := typ.(*types.Map)
		return internalIn(typ.Elem()) || isMap && internalIn(m.Key())
	case *types.Signature:
		return internalIn(typ.Params()) || internalIn(typ.Results())
	case *types.Tuple:
		return slices.ContainsFunc(slices.Collect(typ.Variables()), func(v *types.Var) bool { return internalIn(v.Type()) })
	case *types.Struct:
		return slices.ContainsFunc(slices.Collect(typ.Fields()), func(v *types.Var) bool { return internalIn(v.Type()) })
	}
	return false
}
