package assembly

import "strings"

// words lists 256 nouns that people can distinguish on the telephone. No two differ in one letter
// only, and none is a prefix of another.
var words = strings.Fields(`
	acorn actor album almond amber anchor angel ankle apple apron arrow atlas autumn badge bagel baker bamboo banjo barrel
	basket beacon beaver bench berry bicycle bishop blanket bonnet bottle branch bread bridge broom bucket buffalo bugle
	butter cabin cactus camel candle canoe canyon carpet castle cellar chalk cherry chimney circus clover cobalt coconut
	comet compass copper coral cotton cousin cradle crayon cricket crystal cuckoo curtain dagger daisy dancer dentist
	desert diamond dinner dolphin donkey dragon drawer eagle earth echo elbow elephant engine envelope fabric falcon
	farmer fiddle flamingo flute forest fountain fox frog gadget galaxy garden garlic giant ginger giraffe glacier goblin
	gravel guitar hammer harbour hazel helmet hermit heron hockey honey horizon hotel iceberg igloo indigo insect island
	ivory jacket jaguar jelly jigsaw jungle juniper kayak kettle kidney kitchen kitten ladder lagoon lantern leather lemon
	leopard lettuce library lilac lizard lobster magnet mammoth mango maple marble meadow melon mirror mosaic muffin
	museum mustard napkin nectar needle nephew noodle nugget oasis ocean olive onion opera orchid otter oyster palace
	panther paper parrot peanut pebble pelican pencil pepper piano pigeon pillow pilot pirate planet plum pony potato
	prairie pumpkin puppet pyramid quartz queen quill rabbit radar raven ribbon river robin rocket rooster ruby saddle
	sailor salmon sandal saturn scissors seagull shepherd silver skeleton sparrow spider spinach sponge squirrel stable
	statue summit sunset swan teapot temple thunder tiger timber toffee tomato tornado tractor trumpet tulip tunnel turtle
	umbrella uncle valley vanilla velvet village vinegar violin volcano waffle wagon walnut walrus weasel whistle window
	yacht yogurt zebra zeppelin zigzag
`)

// inWords is the number of bytes of a hash that are read out. An attacker who can make specs freely
// needs about 2^64 of them to find two with the same 128 bits.
const inWords = 16

// Words returns the first 128 bits of a hash as four lines of four words, one word a byte. People
// read them out over the telephone.
func Words(hash [32]byte) (lines []string) {
	const each = 4
	for at := 0; at < inWords; at += each {
		var line []string
		for _, b := range hash[at : at+each] {
			line = append(line, words[b])
		}
		lines = append(lines, strings.Join(line, " "))
	}
	return lines
}
