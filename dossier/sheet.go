package dossier

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/spec"
)

// mostBrief is the maximal length of a maker's statement on the first sheet, in characters.
const mostBrief = 160

// Decisive returns the facts that a board decides from beside the answer. They stand on the first sheet.
func (d *Dossier) Decisive() (all []Fact) {
	add := func(what, value string) { all = append(all, Fact{what, value}) }
	if purpose := d.states("purpose"); purpose != "" {
		add("purpose", purpose)
	}
	add("who takes part", d.crew())
	unit := "all data of one participant, replaced by any other (unit: participant)"
	if d.Claim.Record != "" {
		unit = d.Claim.Record + ", replaced by any other (unit: " + d.Claim.Unit + ")"
	}
	add("protected is", unit)
	add("it loses at most", d.losses())
	add("who may look", d.observer())
	add("the final model", d.model())
	if begins := d.begins(); begins != "" {
		add("it begins with", begins)
	}
	if d.Facts != nil && d.Facts.Left != nil {
		add("it has left", strings.Join(d.Facts.Left.Words(privacy.Status(d.Claim.Status), d.Claim.Delta), " "))
	}
	add("other runs on these rows", d.Others)
	public := "that a participant takes part, when it computes, and how long its messages are"
	if d.Claim.Record != "" {
		public += "; how many records each has"
	}
	add("not protected", public+"; data on a machine or under a key that others have; scores that a participant tells of its own rows")
	return all
}

// begins returns a sentence about an earlier model with which the run begins, "" if there is none.
func (d *Dossier) begins() string {
	return report.Privacy{Accounted: report.Accounted{Assumptions: d.Claim.Assumptions}}.Begins()
}

// crew returns who takes part in the run, and with how many rows as far as the spec says so.
func (d *Dossier) crew() string {
	switch {
	case d.Whose != "":
		return fmt.Sprintf("%s and %d others", d.Whose, d.Count-1)
	case !d.Federated:
		return fmt.Sprintf("%d nodes of a simulation", d.Count)
	}
	var names []string
	for _, p := range d.Participants[:min(len(d.Participants), mostNames)] {
		if p.Rows > 0 {
			names = append(names, fmt.Sprintf("%s (%d rows)", p.Name, p.Rows))
			continue
		}
		names = append(names, p.Name)
	}
	text := strings.Join(names, ", ")
	if more := d.Count - len(names); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// losses returns the bounds towards one other, towards all together, and the spent part of them.
func (d *Dossier) losses() string {
	text := up(d.Claim.Worst) + " towards any one other"
	if all := d.everybody(); all != nil && all.Epsilon.Finite() {
		text += ", " + up(all.Epsilon) + " towards all others together, whatever they do"
		if all.Spent.Finite() {
			text += " (spent so far: " + up(all.Spent) + ")"
		}
	}
	return fmt.Sprintf("%s: %s, %s", text, d.Claim.Metric, d.Claim.Status)
}

// observer returns the observer of the claim as a clause.
func (d *Dossier) observer() string {
	switch privacy.Observer(d.Claim.Observer) {
	case privacy.OneParticipant:
		return "the first number is about one other, who sees the messages that reach it"
	case privacy.AllMessages:
		return "the first number is about one other, who sees every message of the run"
	case privacy.Everybody:
		return "both numbers are about any number of others, who see every message and put together what they know"
	}
	return d.Claim.Observer
}

// model returns who gets the final model, and whether the losses cover that.
func (d *Dossier) model() string {
	text := "by the spec it stays with the participants that hold it at the end (privacy.release: none)"
	if d.Shown {
		text = "by the spec everybody may have it (privacy.release: final)"
	}
	if d.Claim.Model {
		text += "; the losses hold if everybody sees it"
	} else {
		text += "; the losses do not cover that anybody else sees it: that would be a release that is not charged"
	}
	for _, p := range d.Parties {
		if p.Who != thePublic {
			continue
		}
		text += "; who takes no part and sees nothing else learns at most " + up(p.Epsilon)
		if d.Facts != nil && !d.Facts.Ended {
			text += "; but the run has not ended: of a model of an earlier turn only the loss towards all others together is known"
		}
	}
	for _, point := range []string{"who gets the model", "whether the model may be published"} {
		if stated := d.states(point); stated != "" {
			text += ". Stated, " + point + ": " + stated
		}
	}
	return text
}

// states returns the maker's statement about a point, cut to mostBrief characters, "" if there is none.
func (d *Dossier) states(point string) string {
	for _, s := range d.Said {
		if s.Point != point {
			continue
		}
		if utf8.RuneCountInString(s.Text) > mostBrief {
			return string([]rune(s.Text)[:mostBrief]) + "… (all of it below)"
		}
		return s.Text
	}
	return ""
}

// introduce adds columns and model as in the spec, and the statements of the maker.
func (d *Dossier) introduce(s *spec.Spec, o Options) {
	d.Columns, d.ColumnCount = columnsOf(s)
	d.Shown = s.Privacy.Release == "final"
	d.Said = o.Said
}
