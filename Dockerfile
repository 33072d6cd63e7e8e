# Attention Microscope as an image: docs/operate.md, "In containers".
#
#   docker build -t attention-microscope .                                            the server
#   docker build -t attention-microscope-ray --target ray .                           the same with Ray, for trainings
#   docker build --build-arg TORCH_INDEX=https://pypi.org/simple …                    with torch for CUDA

# How to renew the digest: docs/operate.md.
ARG PYTHON=python:3.11-slim-bookworm@sha256:a36c24f9cbdf4fd0f52d67f0823eeac19c2028c637cecc392d97f980d4fec56b

FROM ${PYTHON} AS build
ARG TORCH_INDEX=https://download.pytorch.org/whl/cpu
# hadolint ignore=DL3008
RUN apt-get update && apt-get install -y --no-install-recommends binutils && rm -rf /var/lib/apt/lists/*
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PYTHONDONTWRITEBYTECODE=1
WORKDIR /source
# An environment without pip of its own: that of the base installs into it.
RUN python -m venv --without-pip /opt/microscope
COPY requirements.txt ./
RUN pip --python /opt/microscope/bin/python install --no-compile \
      --index-url "$TORCH_INDEX" "$(grep ^torch== requirements.txt)"
RUN pip --python /opt/microscope/bin/python install --no-compile -r requirements.txt
COPY . .
RUN pip wheel --no-deps --wheel-dir /wheel .
RUN pip --python /opt/microscope/bin/python install --no-compile --no-deps /wheel/*.whl
RUN sh deploy/trim.sh /opt/microscope/lib/python3.11/site-packages
# The models that are not in the wheel, beside those that are.
RUN VIZ_HOME=/models /opt/microscope/bin/attention-microscope models fetch --all --from checkpoints
RUN cp -r /models/checkpoints/. /opt/microscope/lib/python3.11/site-packages/attention_microscope/checkpoints/

FROM ${PYTHON} AS server
RUN groupadd --gid 10001 microscope && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /tmp microscope \
 && install -d -o 10001 -g 10001 /data
COPY --from=build /opt/microscope /opt/microscope
# Only /data, for everything that the app keeps, and /tmp are written.
ENV PATH=/opt/microscope/bin:$PATH HOME=/tmp VIZ_HOME=/data HF_HUB_OFFLINE=1 \
    PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1
USER 10001:10001
WORKDIR /data
VOLUME /data
EXPOSE 8501
HEALTHCHECK --interval=10s --timeout=5s --start-period=120s \
  CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8501/health', timeout=4)"]
CMD ["attention-microscope", "--host", "0.0.0.0", "--port", "8501", "--server.headless", "true"]

FROM server AS ray
USER 0
RUN --mount=type=bind,from=build,source=/wheel,target=/wheel \
    --mount=type=bind,from=build,source=/source,target=/source \
    pip --python /opt/microscope/bin/python install --no-cache-dir --no-compile \
      -c /source/requirements.txt "$(ls /wheel/*.whl)[ray]" \
 && rm -rf /opt/microscope/lib/python3.11/site-packages/ray/jars /opt/microscope/lib/python3.11/site-packages/ray/rllib
USER 10001:10001
HEALTHCHECK NONE

# The last stage is what `docker build .` makes.
FROM server
