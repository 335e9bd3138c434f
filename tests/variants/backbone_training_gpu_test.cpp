// Training of blocks on the GPU: every variant's gradient steps against plain arithmetic on their own inputs,
// all gradients against the oracle end to end, and twice.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "oracles/backbone/checked_problem.h"
#include "tests/support/capability.h"
#include "tests/support/every_variant.cuh"
#include "tests/support/named_variant.h"
#include "tests/support/spoiled_element.cuh"

namespace ablate::test_support::backbone_training_gpu_test {
namespace {

class training_of : public every_variant_test {
 protected:
  using every_variant_test::every_variant_test;

  void expect_all_right(axis_values given, const std::vector<std::string>& names = {}) const {
    given.set("pass", "training");
    expect_right_or_without([](const variant_facts& v) { return v.switches.word("layers") != "own"; }, given,
                            names);
  }
};

class TrainingOnGpu : public training_of {
 protected:
  TrainingOnGpu() : training_of("block") {}
};

class BackboneTrainingOnGpu : public training_of {
 protected:
  BackboneTrainingOnGpu() : training_of("backbone") {}
};

TEST_F(BackboneTrainingOnGpu, ASmallOneInBothOrders) {
  for (const char* order : {"cut", "psh"})
    for (const char* points : {"1", "300", "2000"})
      expect_all_right({{"model", "small"},
                        {"points", points},
                        {"points_as", "raw"},
                        {"order_by", order},
                        {"window", "256"},
                        {"bucket", "128"}});
}

/// Few rows, two windows at the first level: by all forms, by themselves and in a graph, where those with the
/// same bits each time may be off from the oracle by more than another rounding of it is.
TEST_F(BackboneTrainingOnGpu, TwoWindowsOfFewPointsInAGraph) {
  axis_values few = {{"model", "small"}, {"points", "300"},   {"points_as", "raw"}, {"window", "256"},
                     {"bucket", "128"},  {"align", "window"}, {"host", "graph"}};
  expect_all_right(few);
  few.set("pass", "training");
  variant_run run(tested(), few, inputs_);
  for (const char* name : {"per_layer_best_two_pass_dq", "second_stream+dq=window_per_cta"}) {
    const variant_facts& v = test_support::named_variant(tested(), name);
    if (!run.applies(v)) continue;
    try {
      const check_result before = run.check(v);
      EXPECT_TRUE(before.ok) << name << ": " << before.message;
      for (int times = 0; times < 5; ++times) {
        run.launch_as_graph(v);
        const check_result found = run.check_outputs(v);
        EXPECT_TRUE(found.ok) << name << ": " << found.message;
        EXPECT_EQ(run.contents<std::uint64_t>("facts")[backbone::differing_gradients], 0u) << name;
      }
    } catch (const unsupported&) {
      ABLATE_LACKS("cublaslt", "no cuBLASLt");
    }
  }
}

TEST_F(BackboneTrainingOnGpu, InstancesWithoutPointsAndHosts) {
  for (const char* host : {"absent", "published", "graph"})
    expect_all_right({{"model", "small"},
                      {"points", "1000"},
                      {"batch", "3"},
                      {"sizes", "ragged"},
                      {"points_as", "raw"},
                      {"window", "256"},
                      {"bucket", "128"},
                      {"align", "window"},
                      {"host", host}});
}

// At sizes as published the plain arithmetic that each step is compared with takes seconds a pass. Variants
// that between them have every form of a layer, of attention and of its gradients represent the others there,
// which are of the same kernels: all of them run on small models here, and on blocks of every width below.

TEST_F(BackboneTrainingOnGpu, AsPublishedAndWithPtv3sMlps) {
  expect_all_right({{"model", "flash19"}, {"points", "30000"}},
                   {"library+layers=cublaslt_separate", "fused_mma", "per_layer_best_exp2_bf16x2",
                    "second_stream+dq=window_per_cta", "exp2_bf16x2_four_groups"});
  expect_all_right({{"model", "flash19_gelu"}, {"points", "12000"}},
                   {"library", "fused", "per_layer_best_persistent_dq", "exp2_bf16x2_private_dq"});
}

/// Rows of up to 1024 channels.
TEST_F(BackboneTrainingOnGpu, TheWideOneOf131MParameters) {
  expect_all_right({{"model", "flash129"}, {"points", "9000"}},
                   {"library", "fused", "second_stream", "second_stream+weights=second_stream_to_end"});
}

/// Without dropped paths and with them, which are other rows at each block.
TEST_F(BackboneTrainingOnGpu, ASmallPtv3) {
  for (const char* drop : {"0", "0.3"})
    for (const char* host : {"absent", "once", "graph"})
      expect_all_right({{"model", "small_ptv3"},
                        {"points", "600"},
                        {"window", "256"},
                        {"bucket", "128"},
                        {"drop", drop},
                        {"host", host}});
}

/// Windows of each instance take rows along.
TEST_F(BackboneTrainingOnGpu, InstancesOfPtv3) {
  expect_all_right({{"model", "small_ptv3"},
                    {"points", "1000"},
                    {"batch", "3"},
                    {"sizes", "ragged"},
                    {"window", "256"},
                    {"bucket", "128"}});
}

TEST_F(BackboneTrainingOnGpu, BetweenPtv3AndFlash3D) {
  for (const char* model : {"small_in_buckets", "small_bucket_pools"})
    for (const char* align : {"published", "window"})
      expect_all_right({{"model", model},
                        {"points", "700"},
                        {"window", "256"},
                        {"bucket", "128"},
                        {"align", align},
                        {"drop", "0.3"}});
}

TEST_F(BackboneTrainingOnGpu, Ptv3AsPublished) {
  const axis_values all = {{"points", "30000"}, {"window", "1024"}, {"drop", "0.3"}};
  const auto expect_right_of = [&](const char* model, const std::vector<std::string>& names) {
    axis_values given = all;
    given.set("model", model);
    expect_all_right(given, names);
  };
  expect_right_of("ptv3", {"published_index+layers=cublaslt_separate", "fused_mma", "second_stream"});
  expect_right_of("ptv3_without_positions", {"per_layer_best_two_pass_dq"});
}

TEST_F(BackboneTrainingOnGpu, Flash3DWithDroppedPaths) {
  expect_all_right({{"model", "small"},
                    {"points", "300"},
                    {"points_as", "raw"},
                    {"window", "256"},
                    {"bucket", "128"},
                    {"drop", "0.3"}});
}

TEST_F(TrainingOnGpu, EveryWidthWithWindowsShiftedAndInterleaved) {
  for (const char* channels : {"32", "64", "128", "256", "512"})
    for (const char* stride : {"1", "3"})
      expect_all_right({{"rows", "1536"},
                        {"channels", channels},
                        {"window", "512"},
                        {"bucket", "128"},
                        {"offset", "1"},
                        {"stride", stride}});
}

TEST_F(TrainingOnGpu, EndToEnd) {
  for (const char* kind : {"flash3d", "ptv3"})
    for (const char* channels : {"32", "64"})
      expect_all_right(
          {{"kind", kind}, {"rows", "256"}, {"channels", channels}, {"window", "256"}, {"bucket", "128"}});
}

TEST_F(TrainingOnGpu, OfPtv3) {
  for (const char* channels : {"128", "512"})
    expect_all_right(
        {{"kind", "ptv3"}, {"rows", "1536"}, {"channels", channels}, {"window", "512"}, {"bucket", "128"}});
}

TEST_F(TrainingOnGpu, OfRowsThatAreGathered) {
  for (const char* channels : {"32", "256"})
    expect_all_right({{"kind", "ptv3"},
                      {"rows", "1024"},
                      {"channels", channels},
                      {"window", "256"},
                      {"bucket", "128"},
                      {"stand", "gathered"}});
}

TEST_F(TrainingOnGpu, WithDroppedPaths) {
  for (const char* kind : {"flash3d", "ptv3"})
    for (const char* channels : {"32", "512"})
      expect_all_right({{"kind", kind},
                        {"rows", "512"},
                        {"channels", channels},
                        {"window", "256"},
                        {"bucket", "128"},
                        {"drop", "0.3"}});
}

TEST_F(TrainingOnGpu, WideHeads) {
  for (const char* channels : {"32", "64", "512"})
    expect_all_right({{"rows", "1024"},
                      {"channels", channels},
                      {"head_width", "64"},
                      {"window", "512"},
                      {"bucket", "256"}});
}

TEST_F(TrainingOnGpu, ManyRows) {
  for (const char* channels : {"32", "128"}) expect_all_right({{"rows", "24576"}, {"channels", channels}});
}

TEST_F(TrainingOnGpu, InAGraph) {
  expect_all_right(
      {{"rows", "1024"}, {"channels", "64"}, {"window", "512"}, {"bucket", "128"}, {"host", "graph"}});
}

/// Sums in two passes and in rows' order alone: no gradient is another one the second time.
TEST_F(TrainingOnGpu, DeterministicFormsRepeatThemselves) {
  variant_run run(tested(), {{"rows", "4096"}, {"channels", "64"}, {"window", "1024"}, {"pass", "training"}},
                  inputs_);
  for (const char* name : {"fused_mma", "per_layer_best_two_pass_dq", "second_stream+dq=window_per_cta",
                           "second_stream+dq=window_per_cta+weights=second_stream_to_end"}) {
    const variant_facts& v = test_support::named_variant(tested(), name);
    if (!run.applies(v)) continue;
    try {
      ASSERT_TRUE(run.check(v).ok) << name;
    } catch (const unsupported&) {
      continue;  // no cuBLASLt
    }
    const auto facts = run.contents<std::uint64_t>("facts");
    EXPECT_EQ(facts[backbone::adds_by_atomics], 0u) << name;
    EXPECT_EQ(facts[backbone::differing_gradients], 0u) << name;
  }
}

/// Gradients beside those of rows are, bit for bit, those of the same steps in turn, which the check launches
/// once more: what is read too early, or overwritten too early, is another gradient. In a graph, too, where
/// no host is slow enough to hide that.
TEST_F(BackboneTrainingOnGpu, GradientsBesideOthersAreThoseInTurn) {
  const auto expect_same = [](const variant_run& run, const check_result& found, const char* model) {
    EXPECT_TRUE(found.ok) << model << ": " << found.message;
    const auto facts = run.contents<std::uint64_t>("facts");
    EXPECT_EQ(facts[backbone::adds_by_atomics], 0u) << model;
    EXPECT_EQ(facts[backbone::differing_gradients], 0u) << model;
  };
  for (const char* model : {"small", "small_ptv3", "flash19"}) {
    const bool is_small = std::string(model) != "flash19";
    variant_run run(tested(),
                    {{"model", model},
                     {"points", is_small ? "600" : "24000"},
                     {"window", is_small ? "256" : "1024"},
                     {"bucket", is_small ? "128" : "512"},
                     {"pass", "training"}},
                    inputs_);
    for (const char* name : {"second_stream+dq=window_per_cta",
                             "second_stream+dq=window_per_cta+weights=second_stream_to_end"}) {
      SCOPED_TRACE(name);
      const variant_facts& v = test_support::named_variant(tested(), name);
      if (v.minimum_compute_capability > compute_capability()) ABLATE_LACKS("hopper", "not for this chip");
      try {
        expect_same(run, run.check(v), model);
        for (int times = 0; times < 3; ++times) {
          run.launch_as_graph(v);
          expect_same(run, run.check_outputs(v), model);
        }
      } catch (const unsupported&) {
        ABLATE_LACKS("cublaslt", "no cuBLASLt");
      }
    }
  }
}

TEST_F(TrainingOnGpu, SpoiledGradientsAreFoundOut) {
  variant_run run(
      tested(),
      {{"rows", "256"}, {"channels", "32"}, {"window", "256"}, {"bucket", "128"}, {"pass", "training"}},
      inputs_);
  const variant_facts& v = test_support::named_variant(tested(), "fused_mma");
  element_spoiler{run, v}.expect_found("x_gradient", 77, std::uint16_t{0x0001}, "gradients differ");
}

}  // namespace
}  // namespace ablate::test_support::backbone_training_gpu_test
