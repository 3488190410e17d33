module calls

go 1.18
