// Digests of device memory: another byte anywhere, or two that changed places, give another one.
#include <gtest/gtest.h>

#include <vector>

#include "harness/device/cuda_memory.cuh"
#include "harness/runner/digest.cuh"
#include "tests/support/gpu.cuh"

namespace ablate::digest_test {

class DigestsOnGpu : public test_support::gpu_test {
 protected:
  static std::uint64_t digest(const std::vector<unsigned char>& bytes) {
    const device_memory memory(bytes.size());
    if (!bytes.empty())
      ABLATE_CUDA_CHECK(cudaMemcpy(memory.address(), bytes.data(), bytes.size(), cudaMemcpyHostToDevice));
    const device_bytes piece{memory.address(), bytes.size()};
    return digests_of({&piece, 1}, nullptr).front();
  }
};

TEST_F(DigestsOnGpu, TellContentsApart) {
  for (const std::size_t size : {1, 7, 8, 9, 4096, 1 << 20, (1 << 20) + 5}) {
    std::vector<unsigned char> bytes(size);
    for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<unsigned char>(i * 31 + i / 256);
    const std::uint64_t first = digest(bytes);
    EXPECT_EQ(digest(bytes), first) << size << " bytes, elsewhere";
    for (const std::size_t at : {std::size_t{0}, size / 2, size - 1}) {
      bytes[at] ^= 1;
      EXPECT_NE(digest(bytes), first) << size << " bytes, byte " << at;
      bytes[at] ^= 1;
    }
    if (size < 32) continue;
    for (std::size_t i = 0; i < 8; ++i) std::swap(bytes[i], bytes[16 + i]);
    EXPECT_NE(digest(bytes), first) << size << " bytes, two words exchanged";
  }
}

TEST_F(DigestsOnGpu, AreOneForEachPiece) {
  const device_memory a(64), b(64);
  ABLATE_CUDA_CHECK(cudaMemset(a.address(), 0, 64));
  ABLATE_CUDA_CHECK(cudaMemset(b.address(), 1, 64));
  const std::vector<device_bytes> pieces = {
      {a.address(), 64}, {b.address(), 64}, {a.address(), 0}, {b.address(), 64}};
  const auto digests = digests_of(pieces, nullptr);
  ASSERT_EQ(digests.size(), 4u);
  EXPECT_NE(digests[0], digests[1]);
  EXPECT_EQ(digests[1], digests[3]);
  EXPECT_EQ(digests[2], 0u);
  EXPECT_TRUE(digests_of({}, nullptr).empty());
}

}  // namespace ablate::digest_test
