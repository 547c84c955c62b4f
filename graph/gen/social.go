package gen

import (
	"strings"

	"github.com/hearsay-dp/hearsay/graph"
)

// florentine lists the marriages among fifteen families of Renaissance
// Florence (Padgett and Ansell 1993). Each stands under the family that comes
// first in the alphabet.
const florentine = `
Acciaiuoli: Medici
Albizzi: Ginori, Guadagni, Medici
Barbadori: Castellani, Medici
Bischeri: Guadagni, Peruzzi, Strozzi
Castellani: Peruzzi, Strozzi
Guadagni: Lamberteschi, Tornabuoni
Medici: Ridolfi, Salviati, Tornabuoni
Pazzi: Salviati
Peruzzi: Strozzi
Ridolfi: Strozzi, Tornabuoni`

// davis lists for each of eighteen women of Natchez which of fourteen social
// events she attended (Davis, Gardner and Gardner 1941).
const davis = `
Evelyn Jefferson: E1, E2, E3, E4, E5, E6, E8, E9
Laura Mandeville: E1, E2, E3, E5, E6, E7, E8
Theresa Anderson: E2, E3, E4, E5, E6, E7, E8, E9
Brenda Rogers: E1, E3, E4, E5, E6, E7, E8
Charlotte McDowd: E3, E4, E5, E7
Frances Anderson: E3, E5, E6, E8
Eleanor Nye: E5, E6, E7, E8
Pearl Oglethorpe: E6, E8, E9
Ruth DeSand: E5, E7, E8, E9
Verne Sanderson: E7, E8, E9, E12
Myra Liddel: E8, E9, E10, E12
Katherina Rogers: E8, E9, E10, E12, E13, E14
Sylvia Avondale: E7, E8, E9, E10, E12, E13, E14
Nora Fayette: E6, E7, E9, E10, E11, E12, E13, E14
Helen Lloyd: E7, E8, E10, E11, E12
Dorothy Murchison: E8, E9
Olivia Carleton: E9, E11
Flora Price: E9, E11`

func buildFlorentine(*expression) *graph.Graph { return fromTable(florentine) }

func buildDavis(*expression) *graph.Graph { return fromTable(davis) }

// fromTable builds a graph from lines "name: neighbour, neighbour". Nodes are
// numbered as Read numbers them.
func fromTable(table string) *graph.Graph {
	var edges [][2]string
	for line := range strings.Lines(table) {
		name, neighbours, _ := strings.Cut(strings.TrimSpace(line), ": ")
		for neighbour := range strings.SplitSeq(neighbours, ", ") {
			if neighbour != "" {
				edges = append(edges, [2]string{name, neighbour})
			}
		}
	}
	g, err := graph.FromNames("", edges)
	if err != nil {
		panic(err) // the tables are ours
	}
	return g
}
