#include "harness/runner/measured_entry.h"

#include <gtest/gtest.h>

#include "harness/inputs/input_library.h"
#include "harness/registry/registry.h"

namespace ablate::measured_entry_test {
namespace {

/// As the record has it.
measured_case::work_amounts recorded(const work_model& work) {
  suite_case c;
  c.id = "reduction/reference/@host";
  c.operation = find_operation("reduction");
  workload done;
  done.work = work;
  return measured_entry(c, done, input_library(1, {}, {}), {}).work;
}

TEST(MeasuredEntry, HasAllOfTheWork) {
  const auto found = recorded({.bytes = 10,
                               .written_bytes = 4,
                               .flops = 100,
                               .flop_pipe = "tensor_bf16",
                               .atomics = 3,
                               .random = {{"random_cas", 5, 64}},
                               .reductions = {{"atomics_equal", 3}},
                               .exponentials = 7,
                               .gathered_bytes = 20,
                               .steps = {{"mlp", 2, 12, 5, 60, 0}, {"attention", 1, 8, 3, 40, 7}}});
  EXPECT_EQ(found.bytes, 10);
  EXPECT_EQ(found.written_bytes, 4);
  EXPECT_EQ(found.flops, 100);
  EXPECT_EQ(found.flop_pipe, "tensor_bf16");
  EXPECT_EQ(found.atomics, 3);
  ASSERT_EQ(found.random.size(), 1u);
  EXPECT_EQ(found.random[0].footprint_bytes, 64);
  ASSERT_EQ(found.reductions.size(), 1u);
  EXPECT_EQ(found.exponentials, 7);
  EXPECT_EQ(found.gathered_bytes, 20);
  ASSERT_EQ(found.steps.size(), 2u);
  EXPECT_EQ(found.steps[0].kind, "mlp");
  EXPECT_EQ(found.steps[0].count, 2);
  EXPECT_EQ(found.steps[0].bytes, 12);
  EXPECT_EQ(found.steps[0].written_bytes, 5);
  EXPECT_EQ(found.steps[1].flops, 40);
  EXPECT_EQ(found.steps[1].exponentials, 7);
}

TEST(MeasuredEntry, LeavesOutWhatThereIsNone) {
  const auto found = recorded({.bytes = 10});
  EXPECT_EQ(found.written_bytes, 0);
  EXPECT_EQ(found.flop_pipe, "");
  EXPECT_FALSE(found.exponentials);
  EXPECT_FALSE(found.gathered_bytes);
  EXPECT_TRUE(found.steps.empty());
}

}  // namespace
}  // namespace ablate::measured_entry_test
