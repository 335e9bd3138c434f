#include "harness/runner/workload_cache.h"

#include <gtest/gtest.h>

#include <latch>
#include <stdexcept>

#include "harness/inputs/input_library.h"

namespace ablate::workload_cache_test {
namespace {

/// Counts its workloads; each waits until it may be made.
class counted_operation final : public operation {
 public:
  counted_operation() {
    name = "counted";
    axes = {axis::of_integers("n", 0, 9, 0, "number of the case")};
  }
  std::vector<buffer> buffers(const axis_values&, const input_library&) const override { return {}; }
  workload prepare(const axis_values& at, const input_library&) const override {
    may_be_made.wait();
    ++made;
    if (at.integer("n") == 9) throw input_missing("there is no such file");
    workload w;
    w.input = {{"n", at.integer("n")}};
    return w;
  }
  std::function<void(launcher&)> bind(const variant_facts&, const axis_values&, const input_library&,
                                      std::span<void* const>) const override {
    return {};
  }
  std::optional<std::string> refuses(const axis_values&) const override { return std::nullopt; }

  mutable std::latch may_be_made{1};
  mutable int made = 0;
};

class WorkloadCache : public ::testing::Test {
 protected:
  suite_case at(long n) const {
    suite_case c;
    c.operation = &operation_;
    c.axes.set("n", std::to_string(n));
    return c;
  }

  counted_operation operation_;
  const input_library inputs_{1, {}, {}};
};

TEST_F(WorkloadCache, ConsecutiveCasesShareOne) {
  operation_.may_be_made.count_down();
  workload_cache workloads;
  EXPECT_EQ(workloads.of(at(1), inputs_).input.at("n"), 1);
  const std::uint64_t number = workloads.number();
  EXPECT_EQ(workloads.of(at(1), inputs_).input.at("n"), 1);
  EXPECT_EQ(workloads.number(), number);
  EXPECT_EQ(workloads.of(at(2), inputs_).input.at("n"), 2);
  EXPECT_EQ(workloads.number(), number + 1);
  EXPECT_EQ(operation_.made, 2);
}

TEST_F(WorkloadCache, WhatIsBegunIsMadeMeanwhileAndOnce) {
  workload_cache workloads;
  const suite_case first = at(1);
  workloads.begin(first, inputs_);
  operation_.may_be_made.count_down();  // it would not come here had it been waited for
  EXPECT_EQ(workloads.of(first, inputs_).input.at("n"), 1);
  EXPECT_EQ(workloads.of(first, inputs_).input.at("n"), 1);
  EXPECT_EQ(operation_.made, 1);
}

TEST_F(WorkloadCache, AnotherThanWhatWasBegunMayBeAskedFor) {
  operation_.may_be_made.count_down();
  workload_cache workloads;
  const suite_case first = at(1);
  workloads.begin(first, inputs_);
  EXPECT_EQ(workloads.of(at(2), inputs_).input.at("n"), 2);
  EXPECT_EQ(operation_.made, 2);
}

TEST_F(WorkloadCache, WhoAsksIsToldWhatFailed) {
  operation_.may_be_made.count_down();
  workload_cache workloads;
  const suite_case first = at(9);
  workloads.begin(first, inputs_);
  EXPECT_THROW(workloads.of(first, inputs_), input_missing);
  EXPECT_EQ(workloads.of(at(1), inputs_).input.at("n"), 1);
}

TEST_F(WorkloadCache, EndsBehindWhatWasBegun) {
  operation_.may_be_made.count_down();
  const suite_case first = at(1);
  { workload_cache().begin(first, inputs_); }
  EXPECT_EQ(operation_.made, 1);
}

}  // namespace
}  // namespace ablate::workload_cache_test
