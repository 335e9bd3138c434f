#include "harness/registry/bound_buffers.h"

#include <gtest/gtest.h>

#include <array>
#include <stdexcept>

namespace ablate::bound_buffers_test {
namespace {

struct inner {
  const float* weights = nullptr;
};
struct problem {
  const int* keys = nullptr;
  std::array<float*, 2> out = {};
  inner layer;
  void* scratch = nullptr;
};

bound_buffers buffers(problem& p) {
  return {bind("keys", p.keys, 8),
          bind("first", p.out[0], 16, buffer_role::output, buffer_reset::poison),
          bind("second", p.out[1], 16, buffer_role::output, buffer_reset::poison),
          bind("weights", p.layer.weights, 4),
          unbound("table", 32, buffer_role::scratch),
          bind("scratch", p.scratch, 64, buffer_role::scratch)};
}

TEST(BoundBuffers, GiveEachMemberItsAddress) {
  std::array<int, 6> at = {};
  const std::array<void*, 6> addresses = {&at[0], &at[1], &at[2], &at[3], &at[4], &at[5]};
  const problem p = attached(problem(), buffers, addresses);
  EXPECT_EQ(p.keys, &at[0]);
  EXPECT_EQ(static_cast<void*>(p.out[0]), &at[1]);
  EXPECT_EQ(static_cast<void*>(p.out[1]), &at[2]);
  EXPECT_EQ(static_cast<const void*>(p.layer.weights), &at[3]);
  EXPECT_EQ(p.scratch, &at[5]) << "a buffer of no member takes an address, too";
}

TEST(BoundBuffers, AreThoseOfTheProblemThatIsAttached) {
  problem first, second;
  const int keys[2] = {};
  const std::byte* const outputs[] = {
      reinterpret_cast<const std::byte*>(keys), nullptr, nullptr, nullptr, nullptr, nullptr};
  first = attached(second, buffers, outputs);
  EXPECT_EQ(first.keys, keys);
  EXPECT_EQ(second.keys, nullptr);
}

TEST(BoundBuffers, SayNameBytesRoleAndReset) {
  problem p;
  const std::vector<buffer> all = without_members(buffers(p));
  ASSERT_EQ(all.size(), 6u);
  EXPECT_EQ(all[1].name, "first");
  EXPECT_EQ(all[1].bytes, 16u);
  EXPECT_EQ(all[1].role, buffer_role::output);
  EXPECT_EQ(all[1].reset, buffer_reset::poison);
  EXPECT_EQ(all[0].role, buffer_role::input);
}

TEST(BoundBuffers, RefuseAnotherNumberOfAddresses) {
  problem p;
  const std::array<void*, 5> too_few = {};
  EXPECT_THROW(put_addresses(buffers(p), too_few), std::logic_error);
  EXPECT_NO_THROW(put_addresses(buffers(p), {})) << "of a plan: nothing has an address";
}

TEST(BoundBuffers, AreFilledByName) {
  const std::array<std::byte, 8> keys = {};
  const auto contents = contents_of(problem(), buffers, {{"keys", keys}});
  ASSERT_EQ(contents.size(), 6u);
  EXPECT_EQ(contents[0].data(), keys.data());
  EXPECT_TRUE(contents[3].empty());
  EXPECT_THROW(contents_of(problem(), buffers, {{"keyz", keys}}), std::logic_error);
}

}  // namespace
}  // namespace ablate::bound_buffers_test
