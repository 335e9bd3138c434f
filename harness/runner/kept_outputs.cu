#include <algorithm>

#include "harness/runner/kept_outputs.cuh"

namespace ablate {

namespace {

constexpr std::size_t comparing_threads = 512;
constexpr std::size_t most_blocks = 1024;
constexpr std::size_t memory_to_leave = std::size_t{1} << 30;

/// Sixteen bytes at a time, and what is left of them one by one. All who find a difference write the same.
__global__ void find_difference(const std::byte* a, const std::byte* b, std::size_t bytes,
                                unsigned* differs) {
  const std::size_t first = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  const std::size_t vectors = bytes / sizeof(uint4);
  const auto* const a_vectors = reinterpret_cast<const uint4*>(a);
  const auto* const b_vectors = reinterpret_cast<const uint4*>(b);
  bool found = false;
  for (std::size_t i = first; i < vectors; i += step) {
    const uint4 x = a_vectors[i], y = b_vectors[i];
    found = found || x.x != y.x || x.y != y.y || x.z != y.z || x.w != y.w;
  }
  for (std::size_t i = vectors * sizeof(uint4) + first; i < bytes; i += step) found = found || a[i] != b[i];
  if (found) *differs = 1;
}

std::size_t all_bytes(std::span<const device_bytes> outputs) {
  std::size_t bytes = 0;
  for (const device_bytes& output : outputs) bytes += output.size;
  return bytes;
}

bool is_room_for(std::size_t bytes) {
  std::size_t free = 0, total = 0;
  ABLATE_CUDA_CHECK(cudaMemGetInfo(&free, &total));
  return free >= bytes && free - bytes >= memory_to_leave;
}

}  // namespace

void kept_outputs::leave_room() {
  if (is_kept_ && !is_room_for(0)) *this = {};
}

void kept_outputs::keep(std::span<const device_bytes> outputs, cudaStream_t stream) {
  is_kept_ = false;
  copies_.clear();
  if (!is_room_for(all_bytes(outputs))) return;
  try {
    differs_ = device_memory(sizeof(unsigned));
    for (const device_bytes& output : outputs) copies_.emplace_back(output.size);
  } catch (const out_of_memory&) {  // in pieces, or taken by another process since
    copies_.clear();
    return;
  }
  for (std::size_t i = 0; i < outputs.size(); ++i)
    ABLATE_CUDA_CHECK(cudaMemcpyAsync(copies_[i].address(), outputs[i].address, outputs[i].size,
                                      cudaMemcpyDeviceToDevice, stream));
  ABLATE_CUDA_CHECK(cudaStreamSynchronize(stream));
  is_kept_ = true;
}

bool kept_outputs::are(std::span<const device_bytes> outputs, cudaStream_t stream) const {
  if (!is_kept_ || outputs.size() != copies_.size()) return false;
  ABLATE_CUDA_CHECK(cudaMemsetAsync(differs_.address(), 0, sizeof(unsigned), stream));
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].size != copies_[i].bytes()) return false;
    if (outputs[i].size == 0) continue;
    const std::size_t blocks =
        std::min(most_blocks, (outputs[i].size / sizeof(uint4) + comparing_threads) / comparing_threads);
    find_difference<<<static_cast<unsigned>(blocks), static_cast<unsigned>(comparing_threads), 0, stream>>>(
        static_cast<const std::byte*>(outputs[i].address),
        static_cast<const std::byte*>(copies_[i].address()), outputs[i].size,
        static_cast<unsigned*>(differs_.address()));
    ABLATE_CUDA_CHECK(cudaGetLastError());
  }
  unsigned differs = 1;
  ABLATE_CUDA_CHECK(
      cudaMemcpyAsync(&differs, differs_.address(), sizeof differs, cudaMemcpyDeviceToHost, stream));
  ABLATE_CUDA_CHECK(cudaStreamSynchronize(stream));
  return differs == 0;
}

}  // namespace ablate
