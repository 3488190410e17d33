module calls

go 1.17
