# An adapter in Python as a candidate: `plumbline run --candidate docker:IMAGE`.
#
# The folder that it is built from holds `adapter/`, the programs, and `wheels/`, Plumbline and what it needs:
#   pip wheel --wheel-dir wheels CLONE
#   docker build -f adapter.Dockerfile -t my/adapter:1 .
ARG BASE=python:3.12-slim

FROM ${BASE} AS installed
COPY wheels /wheels
RUN python3 -m venv /opt/plumbline \
 && /opt/plumbline/bin/pip install --no-index --find-links /wheels /wheels/plumbline_conformance-*.whl

# The wheels stay behind.
FROM ${BASE}
COPY --from=installed /opt/plumbline /opt/plumbline
COPY adapter /adapter
USER 65534:65534
ENTRYPOINT ["/opt/plumbline/bin/python"]
CMD ["/adapter/adapter.py"]
