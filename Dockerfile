# abut in a container: docker build -t abut . && docker run --rm -v "$PWD:/work" abut run scene.json -o scene.run
FROM debian:bookworm AS build
WORKDIR /src
COPY . .
RUN apt-get update && scripts/install-deps \
 && cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release -DABUT_ARCH=x86-64 -DABUT_TESTS=OFF \
 && cmake --build build && if [ -f viewer/dist/index.html ]; then mkdir -p build/viewer && cp viewer/dist/index.html build/viewer/; else scripts/build-viewer build/viewer; fi \
 && cmake --install build --prefix /opt/abut

FROM debian:bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends libjansson4 libhdf5-103-1 libmetis5 libamd2 libcholmod3 \
    libpng16-16 libosmesa6 libmicrohttpd12 libxml2 libnlopt0 libgmp10 libmpfr6 && rm -rf /var/lib/apt/lists/*
COPY --from=build /opt/abut /opt/abut
ENV PATH=/opt/abut/bin:$PATH
WORKDIR /work
ENTRYPOINT ["abut"]
