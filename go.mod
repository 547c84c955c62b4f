module hearsay

go 1.26.8
