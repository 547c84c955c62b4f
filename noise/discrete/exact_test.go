package discrete

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/hearsay-dp/hearsay/internal/draws"
)

// list yields given words, then zeros, and counts them.
type list struct {
	words []uint64
	used  int
}

func (l *list) Uint64() uint64 {
	l.used++
	if l.used > len(l.words) {
		return 0
	}
	return l.words[l.used-1]
}

// seeded is a deterministic source, which only tests have.
func seeded(seed uint64) *rand.ChaCha8 {
	var key [32]byte
	for i := range 8 {
		key[i] = byte(seed >> (8 * i))
	}
	return rand.NewChaCha8(key)
}

func natural(x uint64) *big.Int { return new(big.Int).SetUint64(x) }

// slow are the algorithms of the paper with rationals only: every uniform
// number is drawn to as many words as it takes to compare it.
type slow struct{ words Words }

// bernoulli is true with probability p in [0, 1]. What is certain takes no
// word, what is impossible one.
func (s slow) bernoulli(p *big.Rat) bool {
	low, width := new(big.Rat), big.NewRat(1, 1)
	for first := true; ; first = false {
		if new(big.Rat).Add(low, width).Cmp(p) <= 0 {
			return true
		}
		if low.Cmp(p) >= 0 && !first {
			return false
		}
		width.Mul(width, new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), 64)))
		word := new(big.Rat).SetInt(natural(s.words.Uint64()))
		low.Add(low, word.Mul(word, width))
	}
}

// expMinus is true with probability exp(-gamma).
func (s slow) expMinus(gamma *big.Rat) bool {
	one, whole := big.NewRat(1, 1), new(big.Int).Quo(gamma.Num(), gamma.Denom())
	if !s.expMinusPart(new(big.Rat).Sub(gamma, new(big.Rat).SetInt(whole))) {
		return false
	}
	for range whole.Uint64() {
		if !s.expMinusPart(one) {
			return false
		}
	}
	return true
}

func (s slow) expMinusPart(gamma *big.Rat) bool {
	k := int64(1)
	for s.bernoulli(new(big.Rat).Quo(gamma, big.NewRat(k, 1))) {
		k++
	}
	return k%2 == 1
}

func (s slow) draw(square, t uint64, bits uint) *big.Int {
	scale := new(big.Rat).SetInt(natural(t))
	for {
		word := s.words.Uint64()
		size := new(big.Rat).SetInt(natural(word >> (64 - bits)))
		if !s.expMinus(new(big.Rat).Quo(size, scale)) {
			continue
		}
		for s.expMinusPart(big.NewRat(1, 1)) {
			size.Add(size, scale)
		}
		if word&1 == 1 && size.Sign() == 0 {
			continue
		}
		variance := new(big.Rat).SetInt(natural(square))
		gamma := new(big.Rat).Sub(size, new(big.Rat).Quo(variance, scale))
		gamma.Quo(gamma.Mul(gamma, gamma), variance.Mul(variance, big.NewRat(2, 1)))
		if !s.expMinus(gamma) {
			continue
		}
		if word&1 == 1 {
			size.Neg(size)
		}
		return size.Num()
	}
}

// On the same words, the integers and the rationals give the same draws and
// use up the same words, whatever the standard deviation is.
func TestDrawsAreTheRationalOnes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := newLaw(rapid.Uint64Range(minSteps, maxSteps).Draw(t, "steps"))
		if rapid.Bool().Draw(t, "small") {
			l = smallLaw(rapid.Uint64Range(1, 100).Draw(t, "s"))
		}
		seed := rapid.Uint64().Draw(t, "seed")
		fast, simple := seeded(seed), seeded(seed)
		for range 10 {
			want := slow{simple}.draw(l.square, 1<<l.tau, l.tau)
			if got := l.draw(fast); want.Cmp(big.NewInt(got)) != 0 {
				t.Fatalf("drew %d, the rationals say %v", got, want)
			}
		}
		if fast.Uint64() != simple.Uint64() {
			t.Fatal("the two used up different numbers of words")
		}
	})
}

// smallLaw is a law below the sizes a Grid uses, whose every value can be
// counted.
func smallLaw(s uint64) law {
	l := law{square: s * s}
	for l.tau = 0; uint64(2)<<(2*l.tau) <= l.square; l.tau++ {
	}
	return l
}

// Where the first word leaves a comparison open, later words decide it as the
// rationals do.
func TestTiesAreDecidedExactly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		den := rapid.Uint64Min(1).Draw(t, "den")
		num := rapid.Uint64Range(0, den-1).Draw(t, "num")
		k := rapid.Uint64Range(2, 40).Draw(t, "k")
		if rapid.Bool().Draw(t, "one") {
			num, den = 1, 1
		}
		p := new(big.Rat).SetFrac(natural(num), natural(den))
		p.Quo(p, new(big.Rat).SetInt(natural(k)))
		words := append(digits(p, rapid.IntRange(1, 3).Draw(t, "equal words")), rapid.Uint64().Draw(t, "next"))
		got, want := &list{words: words}, &list{words: words}
		if a, b := compare(got, num, den, k), (slow{want}).bernoulli(p); a != b {
			t.Fatalf("words %x against %v: %v, the rationals say %v", words, p, a, b)
		}
	})
}

func compare(w Words, num, den, k uint64) bool {
	if num == den {
		return belowInverse(w, k)
	}
	head := new(big.Int).Quo(new(big.Int).Lsh(natural(num), 64), natural(den)).Uint64()
	return below(w, fraction{head: head, exact: func() (*big.Int, *big.Int) { return natural(num), natural(den) }}, k)
}

// digits are the first n words of p, in [0, 1).
func digits(p *big.Rat, n int) (words []uint64) {
	rest := new(big.Int).Set(p.Num())
	for range n {
		digit, left := new(big.Int).QuoRem(rest.Lsh(rest, 64), p.Denom(), new(big.Int))
		words, rest = append(words, digit.Uint64()), left
	}
	return words
}

// A size too long for 64 bits is judged as the rationals judge it.
func TestFarSizesAreJudgedExactly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := newLaw(rapid.Uint64Range(minSteps, maxSteps).Draw(t, "steps"))
		size := rapid.Uint64Range(1<<34, 1<<38).Draw(t, "size")
		seed := rapid.Uint64().Draw(t, "seed")
		whole, num, den := l.gammaExact(distanceOf(l, size))
		gamma := new(big.Rat).SetFrac(num, den)
		gamma.Add(gamma, new(big.Rat).SetInt(natural(whole)))
		if a, b := l.accept(seeded(seed), size), (slow{seeded(seed)}).expMinus(gamma); a != b {
			t.Fatalf("size %d: %v, the rationals say %v", size, a, b)
		}
	})
}

// gamma's fast words are those of the exact one.
func TestGammaIsRoundedDown(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := newLaw(rapid.Uint64Range(minSteps, maxSteps).Draw(t, "steps"))
		distance := rapid.Uint64().Draw(t, "distance")
		whole, head := l.gamma(distance)
		n, num, den := l.gammaExact(natural(distance))
		if want := new(big.Int).Quo(new(big.Int).Lsh(num, 64), den).Uint64(); whole != n || head != want {
			t.Fatalf("gamma of %d is %d + %x, want %d + %x", distance, whole, head, n, want)
		}
	})
}

func distanceOf(l law, size uint64) *big.Int {
	d := new(big.Int).Lsh(natural(size), l.tau)
	return d.Abs(d.Sub(d, natural(l.square)))
}
