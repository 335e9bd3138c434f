#include "harness/inputs/host_bytes.h"

#include <gtest/gtest.h>

#include <utility>

namespace ablate::host_bytes_test {
namespace {

constexpr std::size_t large = (std::size_t{64} << 20) + 4099;  // requests large pages, and is no multiple

TEST(HostBytes, BeginAsZeros) {
  for (const std::size_t size : {std::size_t{1}, std::size_t{4096}, large}) {
    const host_bytes of(size);
    ASSERT_EQ(of.size(), size);
    for (const std::size_t at : {std::size_t{0}, size / 2, size - 1})
      EXPECT_EQ(of.data()[at], std::byte{0}) << at << " of " << size;
  }
  EXPECT_TRUE(host_bytes().empty());
  EXPECT_EQ(host_bytes(0).data(), nullptr);
}

TEST(HostBytes, AreCopiedToTheLastByte) {
  host_bytes of(large);
  of.data()[0] = std::byte{1};
  of.data()[large - 1] = std::byte{2};
  const host_bytes copy = of;
  of.data()[large - 1] = std::byte{3};
  EXPECT_EQ(copy.data()[0], std::byte{1});
  EXPECT_EQ(copy.data()[large - 1], std::byte{2}) << "memory of its own";
  host_bytes other(7);
  other = copy;
  EXPECT_EQ(other.size(), large);
  EXPECT_EQ(other.data()[large - 1], std::byte{2});
}

TEST(HostBytes, AreMovedWithoutACopy) {
  host_bytes of(16);
  const std::byte* const at = of.data();
  host_bytes moved = std::move(of);
  EXPECT_EQ(moved.data(), at);
  host_bytes assigned(3);
  assigned = std::move(moved);
  EXPECT_EQ(assigned.data(), at);
  EXPECT_EQ(assigned.size(), 16u);
}

}  // namespace
}  // namespace ablate::host_bytes_test
