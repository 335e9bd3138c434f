#include "harness/runner/buffers.h"

#include <gtest/gtest.h>

#include "harness/registry/registry.h"

namespace ablate::buffers_test {
namespace {

TEST(Buffers, MemoryIsToldByBufferAndTogetherButForInstrumentsAndTheCheck) {
  const auto told = memory_of({{"in", 4096, buffer_role::input},
                               {"none", 0, buffer_role::scratch},
                               {"out", 64, buffer_role::output},
                               {"expected", 64, buffer_role::reference},
                               {"events", 32, buffer_role::instruments}});
  EXPECT_EQ(told.bytes, 4160);
  EXPECT_EQ(told.by_buffer, (decltype(told.by_buffer){{"in", 4096}, {"out", 64}}));
  EXPECT_EQ(memory_of({}).bytes, 0);
}

TEST(Buffers, OnlyARotatingCaseTakesSeveralSets) {
  const std::vector<buffer> of = {{"in", 600, buffer_role::input},
                                  {"out", 400, buffer_role::output},
                                  {"expected", 5000, buffer_role::reference}};
  EXPECT_EQ(buffer_sets(cache_state::cold_clean, of, 1000), 1u);
  EXPECT_EQ(buffer_sets(cache_state::hot, of, 1000), 1u);
  EXPECT_EQ(buffer_sets(cache_state::rotating, of, 1000), 4u) << "three times L2 between two turns of a set";
  EXPECT_EQ(buffer_sets(cache_state::rotating, of, 999), 3u);
  EXPECT_EQ(buffer_sets(cache_state::rotating, {}, 10), 31u) << "no buffer has a byte";
}

TEST(Buffers, OutputsTellWhatShareOfThemChanged) {
  host_outputs outputs({{"in", 4, buffer_role::input},
                        {"out", 4, buffer_role::output},
                        {"more", 3, buffer_role::output},
                        {"found", 8, buffer_role::finding},
                        {"left", 16, buffer_role::result}});
  const host_outputs before = outputs;
  EXPECT_EQ(outputs, before);
  EXPECT_EQ(outputs.unlike(before).share(), 0);
  EXPECT_EQ(outputs.unlike(outputs).all, 7u);
  static_cast<char*>(outputs.at(1))[2] = 1;
  static_cast<char*>(outputs.at(2))[0] = static_cast<char*>(outputs.at(2))[2] = 7;
  EXPECT_NE(outputs, before);
  EXPECT_EQ(outputs.unlike(before).share(), 3.0 / 7);
}

TEST(Buffers, WhatAComparisonFoundIsReadButIsNoOutputOfTheVariant) {
  host_outputs outputs({{"out", 4, buffer_role::output}, {"found", 8, buffer_role::finding}});
  const host_outputs before = outputs;
  static_cast<char*>(outputs.at(1))[7] = 1;
  EXPECT_NE(outputs, before) << "the check must see it";
  EXPECT_NE(outputs.pointers()[1], nullptr);
  EXPECT_EQ(outputs.unlike(before).differing, 0u);
}

TEST(Buffers, EveryVariantDoesWithoutBuffersOfItsOperation) {
  const input_library inputs(1, {}, {});
  for (const auto& op : operations()) {
    axis_values defaults;
    for (const axis& a : op->axes) defaults.set(a.name, a.default_value);
    for (const variant_facts& v : op->variants) {
      if (v.without.empty()) continue;
      EXPECT_NO_THROW(op->buffers_of(&v, defaults, inputs)) << op->name << ", " << v.name;
    }
  }
}

}  // namespace
}  // namespace ablate::buffers_test
