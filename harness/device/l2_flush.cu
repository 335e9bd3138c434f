#include "harness/device/l2_flush.cuh"

#include "harness/device/l2_persistence.cuh"

namespace ablate {

namespace {

constexpr int flushing_threads = 512;
constexpr int flushing_blocks = 1024;

__global__ void write_all(uint4* buffer, std::size_t vectors) {
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < vectors;
       i += static_cast<std::size_t>(gridDim.x) * blockDim.x)
    buffer[i] = make_uint4(1, 2, 3, 4);
}

__global__ void read_all(const uint4* buffer, std::size_t vectors) {
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < vectors;
       i += static_cast<std::size_t>(gridDim.x) * blockDim.x) {
    const uint4 v = buffer[i];
    // Never so, since the buffer holds one byte repeated; it keeps loads whose values nobody else uses.
    if (v.x != v.y || v.z != v.w) __trap();
  }
}

}  // namespace

l2_flush::l2_flush(std::size_t l2_bytes) : written_(2 * l2_bytes), read_(2 * l2_bytes) {
  ABLATE_CUDA_CHECK(cudaMemset(read_.address(), 0x5a, read_.bytes()));
  ABLATE_CUDA_CHECK(cudaDeviceSynchronize());
}

void l2_flush::enqueue(cudaStream_t stream) const {
  // Asked each time, since a plugin may set it aside in any of its launches.
  if (l2_set_aside() > 0) release_l2_lines(stream);
  write_all<<<flushing_blocks, flushing_threads, 0, stream>>>(static_cast<uint4*>(written_.address()),
                                                              written_.bytes() / sizeof(uint4));
  read_all<<<flushing_blocks, flushing_threads, 0, stream>>>(static_cast<const uint4*>(read_.address()),
                                                             read_.bytes() / sizeof(uint4));
  ABLATE_CUDA_CHECK(cudaGetLastError());
}

}  // namespace ablate
