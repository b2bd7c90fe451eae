# Plumbline itself, to test an adapter that is mounted. Built from a folder with `wheels/`, as adapter.Dockerfile is.
#
#   docker build -f plumbline.Dockerfile -t plumbline:1 .
#   docker run --rm --network none -v "$PWD/adapter:/adapter:ro" -v "$PWD/runs:/suite/runs" --user "$(id -u)" \
#     plumbline:1 run --candidate 'process:python /adapter/adapter.py'
ARG BASE=python:3.12-slim

FROM ${BASE} AS installed
COPY wheels /wheels
RUN python3 -m venv /opt/plumbline \
 && /opt/plumbline/bin/pip install --no-index --find-links /wheels /wheels/plumbline_conformance-*.whl

FROM ${BASE}
COPY --from=installed /opt/plumbline /opt/plumbline
# `python` is the one that has Plumbline; a user without a home has /tmp.
ENV PATH=/opt/plumbline/bin:/usr/local/bin:/usr/bin:/bin HOME=/tmp
USER 65534:65534
WORKDIR /suite
ENTRYPOINT ["plumbline"]
CMD ["--help"]
