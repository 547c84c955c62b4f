package federation

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"

	"github.com/hearsay-dp/hearsay/dataset"
	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/walkpath"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/step"
)

// program returns the program that computes the external model for this participant.
func (f *Federation) program() (experiment.Trainer, error) {
	p, ok := f.Spec.Model.Program.(experiment.Trainer)
	if !ok {
		return nil, fault.New(fmt.Sprintf("model.kind: external, and no program answers for %s", f.Spec.Model.Name), "say which with --model, such as --model 'python3 my_model.py'")
	}
	return p, nil
}

// numbered returns a shard of as many rows as this participant's program holds.
func (f *Federation) numbered() (*dataset.Shard, error) {
	p, err := f.program()
	if err != nil {
		return nil, err
	}
	return dataset.Numbered(p.Rows()), nil
}

// answer passes a request of the machine to the program. It closes the program if ctx ends first.
func (f *Federation) answer(ctx context.Context, asked *step.Ask) ([]float64, error) {
	p, err := f.program()
	if err != nil {
		return nil, err
	}
	defer context.AfterFunc(ctx, p.Close)()
	return f.setup.Algorithm.Local().Answer(f.Self, asked)
}

// writeTensors writes the parameters of an external model under the program's own names. It writes
// nothing for other models.
func (m *Model) writeTensors(dir string) error {
	if m.External == nil {
		return nil
	}
	var text bytes.Buffer
	if err := m.External.Write(&text, m.parameters); err != nil {
		return err
	}
	return writeFile(filepath.Join(dir, report.TensorsFile), text.Bytes())
}

// asserted returns the program on whose word alone the laws are sound, if they are not sound otherwise. That is this
// participant's program, because it computes the gradients of this participant's rows only. It returns "" if soundness rests on
// other claims too.
func (f *Federation) asserted(laws []*walkpath.Law) string {
	if !f.Spec.External() || family.Unreviewed(f.Spec.Algorithm.Kind) != "" {
		return ""
	}
	for _, law := range laws {
		if law != nil && law.Status != privacy.Sound && law.If != family.Doubt(f.Spec) {
			return ""
		}
	}
	return f.Spec.Model.Name
}
