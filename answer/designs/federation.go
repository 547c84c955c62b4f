package designs

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/answer/nodes"
	"github.com/hearsay-dp/hearsay/design"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/federation"
	"github.com/hearsay-dp/hearsay/internal/regular"
	"github.com/hearsay-dp/hearsay/internal/textfile"
	"github.com/hearsay-dp/hearsay/node/policy"
)

// mostPriced is the largest number of participants whose policies are compared with the federation's plan of each. In a larger
// federation each participant's sign compares its own.
const mostPriced = 16

// federated writes the policy of each participant beside the spec at path, and says how the spec becomes a federation. The plan of
// each participant is held against its policy as sign does, with keys and addresses of nobody.
func federated(ask form.Asker, w *design.Wishes, path string, tell func(string, int, int)) (_ *design.Federation, err error) {
	folder := strings.TrimSuffix(path, filepath.Ext(path)) + ".policies"
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, fault.Wrap(err, "cannot make the folder of policies", "choose a folder you may write to")
	}
	all := &design.Federation{}
	defer func() {
		if err == nil {
			return
		}
		for _, file := range append(all.Policies, folder) { // the folder goes if nothing else is in it
			_ = os.Remove(file)
		}
	}()
	for i, p := range w.Participants {
		text, err := w.PolicyText(i)
		if err != nil {
			return nil, err
		}
		file := filepath.Join(folder, p.Name+".policy.yaml")
		err = regular.Write(file, 0o644, func(w io.Writer) error {
			_, err := w.Write(text)
			return err
		})
		if err != nil {
			return nil, fault.Wrap(err, "cannot write "+file, "choose a folder you may write to, with space left")
		}
		all.Policies = append(all.Policies, file)
	}
	set, err := settings(w.Federation)
	if err != nil {
		return nil, err
	}
	if all.Why, all.Checked, err = refused(ask.Context, w, path, set, all.Policies, tell); err != nil || all.Why != "" {
		return all, err
	}
	begin := fmt.Sprintf("hearsay federation new federation --as %s --from %s", w.Participants[0].Name, textfile.Quoted(path))
	for _, s := range set {
		begin += " --set " + textfile.Quoted(s)
	}
	all.Commands = []string{begin, "hearsay federation sign federation --policy " + textfile.Quoted(all.Policies[0])}
	return all, nil
}

// settings returns the keys of the participants' tables as settings of a spec.
func settings(of *design.Real) (set []string, err error) {
	for _, key := range slices.Sorted(maps.Keys(of.Data)) {
		value, err := json.Marshal(of.Data[key])
		if err != nil {
			return nil, fault.Wrap(err, "federation.data."+key, "give a value as in a spec")
		}
		set = append(set, "data."+key+"="+string(value))
	}
	return set, nil
}

// refused returns why the spec at path becomes no federation that every policy accepts, or "". checked reports whether every policy was
// asked.
func refused(ctx context.Context, w *design.Wishes, path string, set, policies []string, tell func(string, int, int)) (why string, checked bool, err error) {
	s, err := nodes.Drafted(path, set)
	if err != nil {
		return err.Error() + "; " + fault.Hint(err), false, nil
	}
	for i, p := range w.Participants {
		if i > 0 && len(w.Participants) > mostPriced {
			return "", false, nil
		}
		tell("holding the federation's plan against policies", i, len(w.Participants))
		f, err := federation.Open(ctx, s, p.Name)
		if err != nil {
			return err.Error() + "; " + fault.Hint(err), false, ctx.Err()
		}
		own, err := policy.Load(policies[i])
		if err != nil {
			return "", false, err
		}
		plan, err := f.Plan(ctx, own.Sizes()...)
		if err != nil {
			return "", false, err
		}
		if refusal := plan.Refusal(plan.Objections(own)); refusal != nil {
			return refusal.Error() + "; " + fault.Hint(refusal), true, nil
		}
	}
	return "", true, nil
}
