graph [
  node [
    id 0
    label "0"
  ]
  node [
    id 1
    label "1"
  ]
  node [
    id 2
    label "2"
  ]
  node [
    id 3
    label "3"
  ]
  node [
    id 4
    label "4"
  ]
  node [
    id 5
    label "5"
  ]
  node [
    id 6
    label "6"
  ]
  node [
    id 7
    label "7"
  ]
  node [
    id 8
    label "8"
  ]
  node [
    id 9
    label "9"
  ]
  node [
    id 10
    label "10"
  ]
  node [
    id 11
    label "11"
  ]
  edge [
    source 0
    target 9
    weight 0.714
  ]
  edge [
    source 0
    target 11
    weight 1.633
  ]
  edge [
    source 0
    target 4
    weight 1.11
  ]
  edge [
    source 1
    target 9
    weight 1.812
  ]
  edge [
    source 1
    target 10
    weight 1.877
  ]
  edge [
    source 2
    target 8
    weight 0.197
  ]
  edge [
    source 2
    target 3
    weight 0.04
  ]
  edge [
    source 2
    target 10
    weight 2.512
  ]
  edge [
    source 2
    target 9
    weight 0.778
  ]
  edge [
    source 3
    target 9
    weight 0.703
  ]
  edge [
    source 3
    target 8
    weight 2.987
  ]
  edge [
    source 3
    target 11
    weight 1.411
  ]
  edge [
    source 4
    target 7
    weight 2.509
  ]
  edge [
    source 5
    target 9
    weight 1.429
  ]
  edge [
    source 6
    target 10
    weight 1.917
  ]
  edge [
    source 6
    target 8
    weight 0.452
  ]
  edge [
    source 6
    target 11
    weight 1.905
  ]
  edge [
    source 7
    target 10
    weight 2.604
  ]
  edge [
    source 7
    target 8
    weight 1.57
  ]
  edge [
    source 7
    target 9
    weight 2.224
  ]
]
