#include <algorithm>

#include "harness/runner/kept_outputs.cuh"

namespace ablate {

namespace {

constexpr std::size_t comparing_threads = 512;
constexpr std::size_t max_blocks = 1024;
constexpr std::size_t memory_to_leave = std::size_t{1} << 30;

/// Of the bytes of a word that are not 0.
__device__ unsigned bytes_set(unsigned word) { return __popc(__vcmpne4(word, 0)) / 8; }

/// Sixteen bytes at a time, and what is left of them one by one. Whole numbers are added, so that the order
/// does not matter.
__global__ void count_differing(const std::byte* a, const std::byte* b, std::size_t bytes,
                                unsigned long long* differing) {
  const std::size_t first = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  const std::size_t vectors = bytes / sizeof(uint4);
  const auto* const a_vectors = reinterpret_cast<const uint4*>(a);
  const auto* const b_vectors = reinterpret_cast<const uint4*>(b);
  unsigned long long found = 0;
  for (std::size_t i = first; i < vectors; i += step) {
    const uint4 x = a_vectors[i], y = b_vectors[i];
    found += bytes_set(x.x ^ y.x) + bytes_set(x.y ^ y.y) + bytes_set(x.z ^ y.z) + bytes_set(x.w ^ y.w);
  }
  for (std::size_t i = vectors * sizeof(uint4) + first; i < bytes; i += step) found += a[i] != b[i];
  if (found) atomicAdd(differing, found);
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
    differing_ = device_memory(sizeof(unsigned long long));
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
  const auto found = differing(outputs, stream);
  return found && found->differing == 0;
}

std::optional<differing_bytes> kept_outputs::differing(std::span<const device_bytes> outputs,
                                                       cudaStream_t stream) const {
  if (!is_kept_ || outputs.size() != copies_.size()) return std::nullopt;
  unsigned long long count = 0;
  ABLATE_CUDA_CHECK(cudaMemsetAsync(differing_.address(), 0, sizeof count, stream));
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].size != copies_[i].bytes()) return std::nullopt;
    if (outputs[i].size == 0) continue;
    const std::size_t blocks =
        std::min(max_blocks, (outputs[i].size / sizeof(uint4) + comparing_threads) / comparing_threads);
    count_differing<<<static_cast<unsigned>(blocks), static_cast<unsigned>(comparing_threads), 0, stream>>>(
        static_cast<const std::byte*>(outputs[i].address),
        static_cast<const std::byte*>(copies_[i].address()), outputs[i].size,
        static_cast<unsigned long long*>(differing_.address()));
    ABLATE_CUDA_CHECK(cudaGetLastError());
  }
  ABLATE_CUDA_CHECK(
      cudaMemcpyAsync(&count, differing_.address(), sizeof count, cudaMemcpyDeviceToHost, stream));
  ABLATE_CUDA_CHECK(cudaStreamSynchronize(stream));
  return differing_bytes{count, all_bytes(outputs)};
}

}  // namespace ablate
