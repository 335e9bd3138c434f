// backbone and block on the GPU: every variant against plain arithmetic step by step, and against the oracle
// end to end. Where there is no cuBLASLt, its variants say so.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/capability.h"
#include "tests/support/every_variant.cuh"
#include "tests/support/named_variant.h"
#include "tests/support/spoiled_element.cuh"

namespace ablate::test_support::backbone_gpu_test {
namespace {

class of_operation : public every_variant_test {
 protected:
  using every_variant_test::every_variant_test;

  /// Where nothing is added up by atomics, kernels that begin early leave the bits of those that do not,
  /// each time, on a stream and in a CUDA graph.
  void expect_same_bits_overlapped(const std::string& form, const axis_values& given) const {
    const variant_facts &behind = test_support::named_variant(tested(), form),
                        &early = test_support::named_variant(tested(), form + "+pdl");
    variant_run run(tested(), given, inputs_);
    ASSERT_TRUE(run.check(behind).ok);
    const auto right = run.contents<std::uint16_t>("out");
    for (int i = 0; i < 5; ++i) {
      const check_result result = run.check(early);
      ASSERT_TRUE(result.ok) << result.message;
      EXPECT_TRUE(run.contents<std::uint16_t>("out") == right);
    }
    run.put("out", std::vector<std::uint16_t>(right.size(), 0xffff));
    run.launch_as_graph(early);
    EXPECT_TRUE(run.contents<std::uint16_t>("out") == right) << "in a graph";
  }

  void expect_same_bits_overlapped(const axis_values& given) const {
    if (compute_capability() < 90) ABLATE_LACKS("hopper", "kernels begin behind each other before sm_90");
    expect_same_bits_overlapped("fused", given);
    try {
      expect_same_bits_overlapped("per_layer_best", given);
    } catch (const unsupported& lacking) {
      ABLATE_LACKS("cublaslt", lacking.what());
    }
  }

  /// The same where rows differ from run to run: each step is right on its own inputs.
  void expect_right_overlapped(const axis_values& given, const char* form = "fused+pdl") const {
    if (compute_capability() < 90) ABLATE_LACKS("hopper", "kernels begin behind each other before sm_90");
    variant_run run(tested(), given, inputs_);
    const variant_facts& early = test_support::named_variant(tested(), form);
    for (int i = 0; i < 5; ++i) {
      const check_result result = run.check(early);
      ASSERT_TRUE(result.ok) << result.message;
    }
    run.put("out", std::vector<std::uint16_t>(run.contents<std::uint16_t>("out").size(), 0xffff));
    run.launch_as_graph(early);
    const check_result in_graph = run.check_outputs(early);
    EXPECT_TRUE(in_graph.ok) << in_graph.message;
  }

  void expect_all_right(const axis_values& given, const std::vector<std::string>& names = {}) const {
    expect_right_or_without([](const variant_facts& v) { return v.switches.word("layers") != "own"; }, given,
                            names);
  }
};

class BlockOnGpu : public of_operation {
 protected:
  BlockOnGpu() : of_operation("block") {}
};

class BackboneOnGpu : public of_operation {
 protected:
  BackboneOnGpu() : of_operation("backbone") {}
};

TEST_F(BlockOnGpu, EveryWidthWithWindowsShiftedAndInterleaved) {
  for (const char* channels : {"32", "64", "128", "256", "512"})
    for (const char* stride : {"1", "3"})
      expect_all_right({{"rows", "1536"},
                        {"channels", channels},
                        {"window", "512"},
                        {"bucket", "128"},
                        {"offset", "1"},
                        {"stride", stride}});
}

TEST_F(BlockOnGpu, WideHeads) {
  for (const char* channels : {"32", "64", "512"})
    expect_all_right({{"rows", "1024"},
                      {"channels", channels},
                      {"head_width", "64"},
                      {"window", "512"},
                      {"bucket", "256"}});
}

TEST_F(BlockOnGpu, OfPtv3InPlaceAndGathered) {
  for (const char* channels : {"32", "128", "512"})
    for (const char* stand : {"in_place", "gathered"})
      expect_all_right({{"kind", "ptv3"},
                        {"rows", "1536"},
                        {"channels", channels},
                        {"window", "512"},
                        {"bucket", "128"},
                        {"stand", stand}});
}

TEST_F(BlockOnGpu, OfFlash3DGathered) {
  expect_all_right(
      {{"rows", "1024"}, {"channels", "64"}, {"window", "256"}, {"bucket", "256"}, {"stand", "gathered"}});
}

/// At 32 channels attention has tiles of 192 queries where there are 132 multiprocessors; 64 channels have
/// their MLP in one launch by mma.sync too.
TEST_F(BlockOnGpu, ManyRows) {
  for (const char* channels : {"32", "64"}) expect_all_right({{"rows", "24576"}, {"channels", channels}});
}

/// So many that gated layers of 256 channels have their norm in a launch of its own.
TEST_F(BlockOnGpu, WideRowsOfALayer) { expect_all_right({{"rows", "4096"}, {"channels", "256"}}); }

/// Every variant in both orders, and every number of points in both. The order is one launch for all
/// variants, and rows are ordered differently each time, so the oracle computes each of these passes whole.
TEST_F(BackboneOnGpu, ASmallOneInBothOrders) {
  const auto expect_right_of = [&](const char* order, const char* points,
                                   const std::vector<std::string>& names) {
    expect_all_right({{"model", "small"},
                      {"points", points},
                      {"points_as", "raw"},
                      {"order_by", order},
                      {"window", "256"},
                      {"bucket", "128"}},
                     names);
  };
  expect_right_of("cut", "1", {});
  expect_right_of("cut", "300", {"fused_mma"});
  expect_right_of("cut", "2000", {});
  expect_right_of("psh", "1", {"fused_mma"});
  expect_right_of("psh", "300", {});
  expect_right_of("psh", "2000", {"fused_mma", "per_layer_best+pdl"});
}

TEST_F(BackboneOnGpu, InstancesWithoutPoints) {
  expect_all_right({{"model", "small"},
                    {"points", "1000"},
                    {"batch", "3"},
                    {"sizes", "ragged"},
                    {"points_as", "raw"},
                    {"window", "256"},
                    {"bucket", "128"}});
}

TEST_F(BackboneOnGpu, ASmallPtv3) {
  for (const char* distribution : {"lidar", "uniform"})
    for (const char* points : {"600", "1501"})
      for (const char* host : {"absent", "once"})
        expect_all_right({{"model", "small_ptv3"},
                          {"points", points},
                          {"distribution", distribution},
                          {"window", "256"},
                          {"bucket", "128"},
                          {"host", host}});
}

TEST_F(BackboneOnGpu, ASmallPtv3OfInstancesAndWideHeads) {
  expect_all_right({{"model", "small_ptv3"},
                    {"points", "1200"},
                    {"batch", "3"},
                    {"sizes", "ragged"},
                    {"distribution", "uniform"},
                    {"window", "256"},
                    {"bucket", "256"},
                    {"head_width", "64"}});
}

/// Fewer rows than a window at some level, several instances, one of them without voxels; sizes known before
/// and read from the device.
/// Rows are in another order in each launch, so that the oracle computes a pass for each form: of many
/// points those that between them have every kind of layer, attention and index, and few points for all of
/// them.
TEST_F(BackboneOnGpu, ASmallPtv3InBuckets) {
  const auto expect_right_of = [&](const char* points, const char* order, const char* host,
                                   const std::vector<std::string>& names) {
    expect_all_right({{"model", "small_in_buckets"},
                      {"points", points},
                      {"order_by", order},
                      {"window", "256"},
                      {"bucket", "128"},
                      {"host", host}},
                     names);
  };
  const std::vector<std::string> some = {"published_index+layers=cublaslt_separate", "fused_mma",
                                         "fused_steps_exp2_bf16x2"};
  expect_right_of("12", "cut", "absent", {});
  expect_right_of("12", "psh", "once", some);
  expect_right_of("300", "psh", "absent", {});
  expect_right_of("300", "cut", "once", some);
  expect_right_of("1501", "cut", "absent", some);
  expect_right_of("1501", "psh", "once", some);
  expect_all_right({{"model", "small_in_buckets"},
                    {"points", "700"},
                    {"batch", "3"},
                    {"sizes", "ragged"},
                    {"distribution", "uniform"},
                    {"window", "256"},
                    {"bucket", "128"}},
                   {"library", "fused+pdl", "per_layer_best+attention=hopper_wave_fit"});
}

TEST_F(BackboneOnGpu, ASmallPtv3WithBucketPools) {
  for (const char* order : {"cut", "psh"}) {
    axis_values given = {
        {"model", "small_bucket_pools"}, {"order_by", order}, {"window", "256"}, {"bucket", "128"}};
    for (const char* points : {"12", "300"}) {
      given.set("points", points);
      expect_all_right(given);
    }
    given.set("points", "1501");
    expect_all_right(given, {"library+layers=cublaslt_separate", "fused_mma", "fused_steps_exp2_bf16x2"});
  }
  expect_all_right({{"model", "small_bucket_pools"},
                    {"points", "700"},
                    {"batch", "3"},
                    {"sizes", "ragged"},
                    {"distribution", "uniform"},
                    {"window", "256"},
                    {"bucket", "128"}},
                   {"library", "fused+pdl", "per_layer_best+attention=hopper_wave_fit"});
}

/// Padding to windows and to buckets, as keys or not; windows of padding alone, and short ones.
TEST_F(BackboneOnGpu, PartialWindows) {
  for (const char* model : {"small", "small_in_buckets", "small_bucket_pools"})
    for (const char* align : {"published", "window", "bucket"})
      for (const char* pad_keys : {"attended", "masked"})
        for (const char* points : {"12", "700", "1501"})
          expect_all_right({{"model", model},
                            {"points", points},
                            {"window", "512"},
                            {"bucket", "128"},
                            {"align", align},
                            {"pad_keys", pad_keys}});
}

TEST_F(BackboneOnGpu, PartialWindowsOfWideHeadsAndInstances) {
  for (const char* pad_keys : {"attended", "masked"})
    expect_all_right({{"model", "small"},
                      {"points", "600"},
                      {"batch", "3"},
                      {"sizes", "ragged"},
                      {"window", "1024"},
                      {"bucket", "256"},
                      {"head_width", "64"},
                      {"align", "bucket"},
                      {"pad_keys", pad_keys}});
}

TEST_F(BackboneOnGpu, PartialWindowsAsPublished) {
  expect_all_right({{"model", "flash19"}, {"points", "30000"}, {"align", "bucket"}, {"pad_keys", "masked"}});
}

TEST_F(BackboneOnGpu, Ptv3) {
  expect_all_right({{"model", "ptv3"}, {"points", "30000"}, {"window", "1024"}});
}

TEST_F(BackboneOnGpu, Ptv3InBucketsAndWithTheirPools) {
  for (const char* model : {"ptv3_in_buckets", "ptv3_bucket_pools"})
    expect_all_right({{"model", model}, {"points", "30000"}, {"window", "1024"}});
}

TEST_F(BackboneOnGpu, AsPublished) { expect_all_right({{"model", "flash19"}, {"points", "30000"}}); }

TEST_F(BackboneOnGpu, AsPublishedWithPtv3sMlps) {
  expect_all_right({{"model", "flash19_gelu"}, {"points", "30000"}});
}

/// Rows of up to 1024 channels.
TEST_F(BackboneOnGpu, TheWideOneOf131MParameters) {
  expect_all_right({{"model", "flash129"}, {"points", "30000"}});
}

TEST_F(BlockOnGpu, OverlappedLaunchesLeaveTheSameBits) {
  for (const char* channels : {"32", "64", "128", "256", "512"})
    expect_same_bits_overlapped({{"rows", "8192"}, {"channels", channels}});
}

TEST_F(BackboneOnGpu, OverlappedLaunchesLeaveTheSameBits) {
  expect_same_bits_overlapped({{"model", "ptv3_without_positions"}, {"points", "30000"}, {"window", "1024"}});
}

/// In buckets the members of a pooled row are listed in another order each time, and so are its sums.
TEST_F(BackboneOnGpu, OverlappedLaunchesAreRightInBuckets) {
  expect_right_overlapped({{"model", "flash46"}, {"points", "30000"}, {"window", "1024"}});
  expect_right_overlapped({{"model", "flash46"}, {"points", "30000"}, {"head_width", "64"}});
}

/// Sums and lists are cleared once in a pass: those of the pass before must have left them right, or clear
/// them.
TEST_F(BackboneOnGpu, JoinedStepsAreRightAgainAndInAGraph) {
  try {
    expect_right_overlapped({{"model", "ptv3"}, {"points", "30000"}, {"window", "1024"}}, "fused_steps");
    expect_right_overlapped({{"model", "flash19"}, {"points", "30000"}}, "fused_steps");
    expect_right_overlapped({{"model", "flash19"}, {"points", "30000"}}, "fused_steps_exp2_bf16x2");
    expect_right_overlapped({{"model", "ptv3"}, {"points", "30000"}, {"window", "1024"}},
                            "fused_steps_exp2_bf16x2");
    expect_right_overlapped({{"model", "flash19"}, {"points", "30000"}}, "fused_steps_mma");
    expect_right_overlapped({{"model", "ptv3"}, {"points", "30000"}, {"window", "1024"}}, "fused_steps_mma");
    expect_right_overlapped(
        {{"model", "flash19"}, {"points", "3000"}, {"window", "1024"}, {"head_width", "64"}}, "fused_steps");
    expect_right_overlapped({{"model", "small_ptv3"},
                             {"points", "1200"},
                             {"batch", "3"},
                             {"sizes", "ragged"},
                             {"distribution", "uniform"},
                             {"window", "256"},
                             {"bucket", "256"}},
                            "fused_steps");
  } catch (const unsupported& lacking) {
    ABLATE_LACKS("cublaslt", lacking.what());
  }
}

/// By tiles of 192 queries at the first level, where there are 132 multiprocessors; the index of pools is
/// made again each time, on a second stream that the pass in front has used too, and in a branch of a graph.
TEST_F(BackboneOnGpu, TiledWithPoolsBesideAndWeightsAhead) {
  try {
    for (const char* form :
         {"fused_steps_exp2_bf16x2+tiles=wave_fit", "fused_steps_exp2_bf16x2+tiles=wave_fit_overlapped",
          "pools_second_stream", "pools_second_stream+prefetch=weights",
          "pools_second_stream+tiles=wave_fit_overlapped+prefetch=weights",
          "fused_steps_exp2_bf16x2+prefetch=weights",
          "fused_steps_exp2_bf16x2+tiles=wave_fit+prefetch=weights"})
      expect_right_overlapped({{"model", "flash19"}, {"points", "30000"}}, form);
    expect_right_overlapped({{"model", "small"},
                             {"points", "300"},
                             {"points_as", "raw"},
                             {"batch", "3"},
                             {"sizes", "ragged"},
                             {"window", "256"},
                             {"bucket", "128"}},
                            "pools_second_stream+prefetch=weights");
    expect_right_overlapped({{"model", "ptv3_bucket_pools"}, {"points", "30000"}, {"window", "1024"}},
                            "pools_second_stream+prefetch=weights");
    expect_right_overlapped({{"model", "ptv3"}, {"points", "30000"}, {"window", "1024"}},
                            "fused_steps_exp2_bf16x2+tiles=wave_fit");
    expect_right_overlapped({{"model", "ptv3"}, {"points", "30000"}, {"window", "1024"}},
                            "fused_steps_exp2_bf16x2+prefetch=weights");
  } catch (const unsupported& lacking) {
    ABLATE_LACKS("cublaslt", lacking.what());
  }
}

TEST_F(BackboneOnGpu, ASpoiledOutputIsFoundOut) {
  variant_run run(
      tested(),
      {{"model", "small"}, {"points", "300"}, {"points_as", "raw"}, {"window", "256"}, {"bucket", "128"}},
      inputs_);
  const variant_facts& v = test_support::named_variant(tested(), "fused_mma");
  element_spoiler{run, v}.expect_found("out", 77, std::uint16_t{0x0001},
                                       "differ when the steps are launched once more");
}

}  // namespace
}  // namespace ablate::test_support::backbone_gpu_test
