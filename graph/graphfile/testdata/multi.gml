graph [
  multigraph 1
  node [
    id 0
    label "Gen&#232;ve"
  ]
  node [
    id 1
    label "Z&#252;rich"
  ]
  node [
    id 2
    label "Bern city"
  ]
  node [
    id 3
    label "a &#34;q&#34; &#38; b"
  ]
  node [
    id 4
    label "alone, far"
  ]
  edge [
    source 0
    target 1
    key 0
  ]
  edge [
    source 0
    target 1
    key 1
  ]
  edge [
    source 0
    target 2
    key 0
  ]
  edge [
    source 1
    target 2
    key 0
  ]
  edge [
    source 1
    target 1
    key 0
  ]
  edge [
    source 2
    target 3
    key 0
  ]
]
