#!/bin/sh
# Removes from a folder of packages what only their developers need: a quarter of it. Dockerfile says when.
set -eu
cd "$1"
rm -rf torch/include torch/test                     # for C++
find torch/bin -type f ! -name torch_shm_manager -delete
rm -rf pyarrow/include pyarrow/libarrow_flight.so.* # a protocol between servers
rm -rf pydeck/nbextension                          # for Jupyter
rm -rf tensorboard_data_server/bin                 # a faster reader of TensorBoard, which has another
rm -rf jieba/lac_small                             # for jieba with PaddlePaddle, which is not installed
rm -rf hf_xet                                      # downloads from the Hugging Face hub; the image is offline
find . -type d \( -name tests -o -name test \) -prune -exec rm -rf {} +
find . -type f \( -name '*.pyi' -o -name '*.pxd' -o -name '*.a' -o -name '*.h' -o -name '*.hpp' \
  -o -name '*.map' \) -delete
# English and Chinese; und and root are what Babel falls back on.
find . -path './babel/locale-data/*.dat' ! -name 'en*' ! -name 'zh*' ! -name 'root*' ! -name 'und*' -delete
# Names of functions, for debuggers. Only in libraries that no other tool has patched.
for file in torch/lib/*.so pyarrow/*.so*; do
  if [ -f "$file" ] && [ ! -L "$file" ]; then strip --strip-unneeded "$file"; fi
done
