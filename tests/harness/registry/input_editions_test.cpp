// Inputs that change in a few elements between launches, and what is right for each of them: an output that
// was kept of others is wrong.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "harness/registry/define_kernel.h"
#include "harness/registry/registry.h"

namespace ablate::input_editions_test {
namespace {

kernel_array changing(kernel_array a) {
  a.may_change = true;
  return a;
}

std::vector<kernel_array> arrays(const axis_values& at) {
  const long n = at.integer("elements");
  return {changing(input_floats("x", n)), input_floats("y", n), output_of<float>("out", n)};
}

void add(const spans& a) {
  const auto x = a.in<float>("x"), y = a.in<float>("y");
  const auto out = a.out<float>("out");
  for (std::size_t i = 0; i < x.size(); ++i) out[i] = x[i] + y[i];
}

void launch_nothing(launcher&, const spans&, const switches&) {}

bool define(const char* name, void (*reference)(const spans&)) {
  return define_kernel({.name = name,
                        .description = "out = x + y",
                        .axes = {axis::of_integers("elements", 1, 100000, 1000, "elements")},
                        .arrays = arrays,
                        .baseline = "plain",
                        .reference = reference,
                        .variants = {{"plain", launch_nothing, {}, "plain"}}});
}
const bool defined = define("made_changing", add) && define("made_changing_without_oracle", nullptr);

class InputEditions : public testing::Test {
 protected:
  workload prepared(const char* operation = "made_changing", const char* elements = "200") const {
    return find_operation(operation)->prepare({{"elements", elements}}, inputs_);
  }

  /// x of an edition.
  static std::vector<float> x_of(const workload& w, std::uint64_t edition) {
    std::vector<std::byte> bytes(w.contents[0].begin(), w.contents[0].end());
    if (edition > 0)
      for (const changed_bytes& c : w.editions->changes(edition))
        std::ranges::copy(c.bytes, bytes.begin() + static_cast<std::ptrdiff_t>(c.offset));
    const auto* const x = reinterpret_cast<const float*>(bytes.data());
    return {x, x + bytes.size() / sizeof(float)};
  }

  static std::vector<float> sums_of(const workload& w, std::uint64_t edition) {
    std::vector<float> sums = x_of(w, edition);
    for (std::size_t i = 0; i < sums.size(); ++i)
      sums[i] += reinterpret_cast<const float*>(w.contents[1].data())[i];
    return sums;
  }

  static std::array<const std::byte*, 3> outputs(const std::vector<float>& out) {
    return {nullptr, nullptr, reinterpret_cast<const std::byte*>(out.data())};
  }
  static check_result check(const workload& w, const std::vector<float>& out) {
    return w.check(outputs(out));
  }

  input_library inputs_{1, {}, {}};
};

TEST_F(InputEditions, DifferInAFewElementsOfArraysThatMayChange) {
  const workload w = prepared();
  ASSERT_TRUE(w.editions);
  const std::vector<float> original = x_of(w, 0);
  std::size_t least = original.size(), most = 0;
  for (std::uint64_t edition = 1; edition <= 100; ++edition) {
    const auto changes = w.editions->changes(edition);
    ASSERT_EQ(changes.size(), 1u) << "y may not change";
    EXPECT_EQ(changes[0].buffer, 0u);
    EXPECT_LE(changes[0].bytes.size(), changed_bytes::most);
    const std::vector<float> x = x_of(w, edition);
    std::size_t changed = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      changed += x[i] != original[i];
      EXPECT_NE(std::ranges::find(original, x[i]), original.end()) << "a value of no element";
    }
    EXPECT_GT(changed, 0u) << "edition " << edition;
    least = std::min(least, changed);
    most = std::max(most, changed);
  }
  EXPECT_EQ(least, 1u);
  EXPECT_GT(most, 64u);
  EXPECT_EQ(x_of(w, 7), x_of(prepared(), 7)) << "by seed and number alone";
  EXPECT_NE(x_of(w, 7), x_of(w, 8));
}

TEST_F(InputEditions, HaveAnswersOfTheirOwn) {
  const workload w = prepared();
  EXPECT_TRUE(check(w, sums_of(w, 0)).ok);
  for (const std::uint64_t edition : {1, 2, 9}) {
    EXPECT_FALSE(w.editions->turn_to(edition)) << "the reference computes it";
    EXPECT_TRUE(check(w, sums_of(w, edition)).ok) << edition;
    EXPECT_FALSE(check(w, sums_of(w, 0)).ok) << "kept of the inputs before";
    EXPECT_FALSE(check(w, sums_of(w, edition + 1)).ok);
  }
  EXPECT_FALSE(w.editions->turn_to(0));
  EXPECT_TRUE(check(w, sums_of(w, 0)).ok) << "inputs are as they were";
  EXPECT_FALSE(check(w, sums_of(w, 9)).ok);
}

TEST_F(InputEditions, AreLearnedFromTheBaselineWhereItIsTheOracle) {
  const workload w = prepared("made_changing_without_oracle");
  w.learn(outputs(sums_of(w, 0)));
  EXPECT_TRUE(w.editions->turn_to(3));
  w.learn(outputs(sums_of(w, 3)));
  EXPECT_TRUE(check(w, sums_of(w, 3)).ok);
  EXPECT_FALSE(check(w, sums_of(w, 0)).ok);
  w.editions->turn_to(0);
  EXPECT_TRUE(check(w, sums_of(w, 0)).ok);
  EXPECT_FALSE(w.editions->turn_to(3)) << "known already";
  EXPECT_TRUE(w.editions->turn_to(4));
}

TEST_F(InputEditions, DoNotExistWhereNothingCanChange) {
  EXPECT_FALSE(prepared("made_changing", "1").editions) << "one element has no other's value";
}

}  // namespace
}  // namespace ablate::input_editions_test
