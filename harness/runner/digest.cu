#include "harness/runner/digest.cuh"

#include <algorithm>

#include "harness/device/cuda_memory.cuh"

namespace ablate {

namespace {

constexpr std::size_t digest_threads = 512, max_digest_blocks = 1024;

/// The finalizer of splitmix64: each bit of the result depends on all of x.
__device__ unsigned long long mixed_word(unsigned long long x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ x >> 27) * 0x94d049bb133111ebull;
  return x ^ x >> 31;
}

/// Words with their places; the rest after the last whole word as bytes.
__global__ void add_words(const std::byte* bytes, std::size_t count, unsigned long long* digest) {
  const auto* const words = reinterpret_cast<const unsigned long long*>(bytes);
  const std::size_t whole = count / sizeof *words, step = static_cast<std::size_t>(gridDim.x) * blockDim.x,
                    first = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  unsigned long long sum = 0;
  for (std::size_t i = first; i < whole; i += step) sum += mixed_word(words[i] + mixed_word(i + 1));
  for (std::size_t i = whole * sizeof *words + first; i < count; i += step)
    sum += mixed_word(static_cast<unsigned long long>(bytes[i]) + mixed_word(i + 1));
  if (sum != 0) atomicAdd(digest, sum);
}

}  // namespace

std::vector<std::uint64_t> digests_of(std::span<const device_bytes> pieces, cudaStream_t stream) {
  std::vector<std::uint64_t> digests(pieces.size());
  const std::size_t bytes = digests.size() * sizeof digests.front();
  if (bytes == 0) return digests;
  const device_memory sums(bytes);
  ABLATE_CUDA_CHECK(cudaMemsetAsync(sums.address(), 0, bytes, stream));
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (pieces[i].size == 0) continue;
    const std::size_t blocks = std::min(
        max_digest_blocks, (pieces[i].size / sizeof(std::uint64_t) + digest_threads) / digest_threads);
    add_words<<<static_cast<unsigned>(blocks), static_cast<unsigned>(digest_threads), 0, stream>>>(
        static_cast<const std::byte*>(pieces[i].address), pieces[i].size,
        static_cast<unsigned long long*>(sums.address()) + i);
    ABLATE_CUDA_CHECK(cudaGetLastError());
  }
  ABLATE_CUDA_CHECK(cudaMemcpyAsync(digests.data(), sums.address(), bytes, cudaMemcpyDeviceToHost, stream));
  ABLATE_CUDA_CHECK(cudaStreamSynchronize(stream));
  return digests;
}

}  // namespace ablate
