# The system in Go as a candidate: one static program, and nothing else. `plumbline run --candidate docker:IMAGE`.
#
#   CGO_ENABLED=0 go build -o grid .        in adapters/examples/go
#   docker build -f grid.Dockerfile -t my/grid:1 .
FROM scratch
COPY grid /grid
USER 65534:65534
ENTRYPOINT ["/grid"]
