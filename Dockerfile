# docker build -t recallmodel . && docker run --rm recallmodel --n 262144 --k 1024 --kb 4
FROM debian:bookworm-slim AS build
COPY . /recallmodel
WORKDIR /recallmodel
RUN apt-get update && apt-get install -y make && tools/install_packages.sh --build && \
    make HAS_MPI= PREFIX=/usr install
FROM debian:bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends libgomp1 libgsl27 libjansson4 \
    libopenblas0
COPY --from=build /usr/bin/recallmodel /usr/bin/
COPY --from=build /usr/share/recallmodel /usr/share/recallmodel
COPY LICENSE deliver/packaging/licenses /usr/share/doc/recallmodel/
ENTRYPOINT ["recallmodel"]
