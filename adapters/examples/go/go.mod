module plumbline.example/grid

go 1.19
