// block_sparse_attention on the GPU: every variant part by part, and whole against the oracle; and attention
// to blocks that no choice would make.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "kernels/compression_attention/launches.h"
#include "oracles/block_sparse_attention/checked_problem.h"
#include "oracles/compression_attention/launches.h"
#include "tests/support/axis_values.h"
#include "tests/support/every_variant.cuh"
#include "tests/support/named_variant.h"
#include "tests/support/spoiled_element.cuh"
#include "variants/block_sparse_attention/buffers.h"

namespace ablate::test_support::block_sparse_attention_gpu_test {
namespace {

using window_attention::bf16_of;
using window_attention::float_of_bf16;

constexpr std::size_t width = 64;

class BlockSparseAttentionOnGpu : public every_variant_test {
 protected:
  BlockSparseAttentionOnGpu() : every_variant_test("block_sparse_attention") {}

  static axis_values layer(const axis_values& more) { return with({{"heads", "2"}}, more); }
};

TEST_F(BlockSparseAttentionOnGpu, ImagesOfEveryNumberInBothGeometries) {
  // 16 to 520 key blocks, the last of any length; 5 to 165 special tokens.
  for (const char* images : {"1", "2", "3", "5", "8", "33"})
    for (const char* geometry : {"s3r", "vggt"}) {
      SCOPED_TRACE(std::string(images) + ", " + geometry);
      expect_right(layer({{"images", images}, {"geometry", geometry}}));
    }
  expect_right(layer({{"images", "4"}, {"heads", "5"}}));
}

TEST_F(BlockSparseAttentionOnGpu, ScoresOfEveryKindAndWhatIsAsked) {
  for (const char* scores : {"scene", "unit", "integers", "ascending", "equal"})
    for (const auto& [mass, kept] :
         {std::pair{"70", "50"}, {"50", "20"}, {"0", "0"}, {"99", "0"}, {"0", "100"}})
      for (const char* geometry : {"s3r", "vggt"}) {
        SCOPED_TRACE(std::string(scores) + ", " + mass + ", " + kept + ", " + geometry);
        expect_right(layer(
            {{"images", "7"}, {"scores", scores}, {"mass", mass}, {"kept", kept}, {"geometry", geometry}}));
      }
}

TEST_F(BlockSparseAttentionOnGpu, BlocksThatAreGiven) {
  for (const char* geometry : {"s3r", "vggt"}) {
    variant_run run(tested(), layer({{"images", "9"}, {"lists", "given"}, {"geometry", geometry}}), inputs_);
    for (const char* name : {"searched", "hopper_searched"}) {
      const variant_facts& v = test_support::named_variant(tested(), name);
      if (!run.applies(v)) continue;
      run.launch(v);
      const check_result result = run.check_outputs(v);
      EXPECT_TRUE(result.ok) << name << ", " << geometry << ": " << result.message;
    }
  }
}

TEST_F(BlockSparseAttentionOnGpu, AllVariantsKeepTheSame) {
  for (const char* scores : {"scene", "integers"}) {
    std::vector<std::uint32_t> kept;
    expect_right(layer({{"images", "12"}, {"scores", scores}}),
                 [&](const variant_facts& v, variant_run& run) {
                   if (kept.empty()) kept = run.contents<std::uint32_t>("kept");
                   EXPECT_EQ(run.contents<std::uint32_t>("kept"), kept) << v.name << ", " << scores;
                 });
  }
}

TEST_F(BlockSparseAttentionOnGpu, OfAllBlocksItIsDenseAttention) {
  for (const char* geometry : {"s3r", "vggt"}) {
    const operation& attention = *find_operation("dense_attention");
    variant_run dense(attention, layer({{"images", "3"}, {"geometry", geometry}}), inputs_);
    ASSERT_TRUE(dense.check(test_support::named_variant(attention, "mma")).ok);
    const auto expected = dense.contents<std::uint16_t>("out");
    expect_right(layer({{"images", "3"}, {"kept", "100"}, {"geometry", geometry}}),
                 [&](const variant_facts& v, variant_run& run) {
                   const auto out = run.contents<std::uint16_t>("out");
                   for (std::size_t i = 0; i < out.size(); ++i)
                     ASSERT_NEAR(float_of_bf16(out[i]), float_of_bf16(expected[i]), 0.02)
                         << v.name << ", " << geometry << ", row " << i / width;
                 });
  }
}

TEST_F(BlockSparseAttentionOnGpu, ValuesThatAreConstantStayWhatTheyAre) {
  for (const char* geometry : {"s3r", "vggt"}) {
    variant_run run(tested(), layer({{"images", "3"}, {"geometry", geometry}}), inputs_);
    auto values = run.contents<std::uint16_t>("v");
    std::ranges::fill(values, bf16_of(1.25f));
    run.put("v", values);
    for (const variant_facts& v : tested().variants) {
      if (!run.applies(v)) continue;
      run.launch(v);
      for (const std::uint16_t bits : run.contents<std::uint16_t>("out"))
        ASSERT_NEAR(float_of_bf16(bits), 1.25, 0.01) << v.name << ", " << geometry;
    }
  }
}

/// Bits for each query block of a head: `is_kept(query block, key block)`.
template <class IsKept>
void put_bits(const variant_run& run, const block_sparse_selection::problem& choice, IsKept is_kept) {
  const auto words = static_cast<std::size_t>(choice.words());
  std::vector<std::uint32_t> bits(static_cast<std::size_t>(choice.rows()) * words);
  std::vector<std::int32_t> counts(static_cast<std::size_t>(choice.rows()));
  for (std::size_t row = 0; row < counts.size(); ++row)
    for (std::int64_t key = 0; key < choice.keys; ++key)
      if (is_kept(static_cast<std::int64_t>(row) % choice.queries, key)) {
        bits[row * words + static_cast<std::size_t>(key / 32)] |= 1u << key % 32;
        ++counts[row];
      }
  run.put("kept", bits);
  run.put("kept_counts", counts);
}

TEST_F(BlockSparseAttentionOnGpu, AnyBlocksAreAttendedTo) {
  using attention = void (*)(launcher&, const compression_attention::problem&, const switches&);
  int multiprocessors = 0, shared_bytes = 0;
  ABLATE_CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
  ABLATE_CUDA_CHECK(cudaDeviceGetAttribute(&shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
  for (const char* geometry : {"s3r", "vggt"}) {
    // 47.25 or 48.6 key blocks: two words of bits, the last block short.
    variant_run run(tested(), layer({{"images", "3"}, {"geometry", geometry}}), inputs_);
    block_sparse_attention::checked_problem p;
    p.geometry = std::string(geometry) == "s3r" ? token_geometry::s3r : token_geometry::vggt;
    p.tokens = run.work().input.at("tokens");
    p.heads = 2;
    p.sample_count = static_cast<std::int64_t>(run.contents<window_attention::sampled_row>("samples").size());
    const bound_buffers buffers = block_sparse_attention::buffers(p);
    std::vector<void*> addresses;
    for (std::size_t i = 0; i < buffers.size(); ++i) addresses.push_back(run.address(i));
    put_addresses(buffers, addresses);
    const block_sparse_selection::problem choice = choice_of(p);
    const auto expect_attended = [&](const char* pattern, auto is_kept) {
      put_bits(run, choice, is_kept);
      for (const auto& [core, attend, capability] :
           {std::tuple{"mma", attention{compression_attention::kept_by_mma}, 80},
            {"hopper", attention{compression_attention::kept_on_hopper}, 90}}) {
        if (capability > compute_capability()) continue;
        run.put("out", std::vector<std::uint16_t>(static_cast<std::size_t>(p.elements()), 0x7fc0));
        launcher to(nullptr, {multiprocessors, static_cast<std::size_t>(shared_bytes)});
        compression_attention::checked_problem part = checked_kept_of(p);
        part.queries = kept_of(p).queries;
        run.put("row_reference", std::vector<std::byte>(compression_attention::reference_bytes(part)));
        attend(to, part, {{"core", core}, {"groups", "by_rows"}, {"first_keys", "lowest"}});
        compression_attention::compare_with_plain(to, part, {});
        ABLATE_CUDA_CHECK(cudaDeviceSynchronize());
        const auto found = run.contents<block_sparse_attention::findings>("found").front().attention.of;
        const std::string where = std::string(pattern) + ", " + core + ", " + geometry;
        EXPECT_EQ(found.out.rows, static_cast<unsigned long long>(2 * part.attending_rows())) << where;
        EXPECT_LE(found.out.worst.error, window_attention::accepted_row_error)
            << where << ", row " << found.out.worst.row << ", head " << found.out.worst.head;
        EXPECT_LE(found.lse.worst.error, window_attention::accepted_lse_error) << where;
      }
    };
    using block = std::int64_t;
    expect_attended("the first", [](block, block key) { return key == 0; });
    expect_attended("the last", [&](block, block key) { return key + 1 == choice.keys; });
    expect_attended("all", [](block, block) { return true; });
    expect_attended("odd ones", [](block, block key) { return key % 2 == 1; });
    expect_attended("across words", [](block, block key) { return key >= 31 && key <= 33; });
    expect_attended("of the second word", [](block, block key) { return key >= 32; });
    expect_attended("as many as the query block's number",
                    [](block query, block key) { return key <= query || key % 7 == query % 7; });
    expect_attended("its own", [](block query, block key) { return key / 2 == query; });
  }
}

TEST_F(BlockSparseAttentionOnGpu, PatchesInEveryOrder) {
  for (const char* order : {"rows", "hilbert"})
    for (const char* geometry : {"s3r", "vggt"})
      for (const char* images : {"1", "2", "7"}) {
        SCOPED_TRACE(std::string(order) + ", " + geometry + ", " + images);
        const axis_values at = layer({{"images", images},
                                      {"order", order},
                                      {"geometry", geometry},
                                      {"scores", "plane"},
                                      {"kept", "30"}});
        expect_right(at);
      }
  expect_right(layer({{"images", "4"}, {"heads", "5"}, {"order", "hilbert"}, {"region", "ahead"}}));
  expect_right(layer({{"images", "3"}, {"order", "hilbert"}, {"kept", "100"}}));
}

TEST_F(BlockSparseAttentionOnGpu, OfAllBlocksEveryOrderGivesTheSame) {
  for (const char* geometry : {"s3r", "vggt"}) {
    std::vector<std::uint16_t> expected;
    for (const char* order : {"natural", "rows", "hilbert"})
      expect_right(layer({{"images", "3"}, {"kept", "100"}, {"geometry", geometry}, {"order", order}}),
                   [&](const variant_facts& v, variant_run& run) {
                     const auto out = run.contents<std::uint16_t>("out");
                     if (expected.empty()) expected = out;
                     for (std::size_t i = 0; i < out.size(); ++i)
                       ASSERT_NEAR(float_of_bf16(out[i]), float_of_bf16(expected[i]), 0.02)
                           << v.name << ", " << order << ", " << geometry << ", row " << i / width;
                   });
  }
}

TEST_F(BlockSparseAttentionOnGpu, ProductsOfInt8) {
  for (const char* scores : {"scene", "plane", "unit", "integers", "ascending", "equal"})
    for (const char* geometry : {"s3r", "vggt"})
      for (const auto& [mass, kept] : {std::pair{"70", "50"}, {"0", "0"}, {"0", "100"}}) {
        SCOPED_TRACE(std::string(scores) + ", " + geometry + ", " + mass + ", " + kept);
        expect_right(layer({{"images", "5"},
                            {"scores", scores},
                            {"mass", mass},
                            {"kept", kept},
                            {"geometry", geometry},
                            {"products", "int8"}}));
      }
  for (const char* images : {"1", "2", "33"})
    expect_right(layer({{"images", images}, {"geometry", "vggt"}, {"products", "int8"}}));
  expect_right(layer({{"images", "3"}, {"heads", "5"}, {"products", "int8"}, {"order", "hilbert"}}));
  expect_right(layer({{"images", "3"}, {"products", "int8"}, {"region", "ahead"}}));
}

TEST_F(BlockSparseAttentionOnGpu, ASpoiledMoveOrNumberIsFoundOut) {
  variant_run run(tested(), layer({{"images", "3"}, {"order", "hilbert"}, {"products", "int8"}}), inputs_);
  const variant_facts& v = test_support::named_variant(tested(), "searched");
  const element_spoiler spoiled{run, v};
  using ::std::string;
  constexpr std::uint16_t sign_and_more = 0xc000;
  EXPECT_NE(spoiled("ordered_v", (3024 + 2999) * width + 63, std::uint16_t{1}).find("elements are others"),
            string::npos);
  EXPECT_NE(spoiled("out", 3023 * width, sign_and_more).find("elements are others"), string::npos);
  // 2 heads of 24 query blocks and 48 boxes.
  EXPECT_NE(spoiled("int8_q", (3024 + 130) * width + 5, std::int8_t{1}).find("of q, number 25"),
            string::npos);
  EXPECT_NE(spoiled("int8_k", (3024 + 3023) * width + 63, std::int8_t{1}).find("of k, number 95"),
            string::npos);
  EXPECT_NE(spoiled("k_scales", 7, std::uint32_t{1}).find("of k, number 7"), string::npos);
  EXPECT_NE(spoiled("key_mean", 64 + 9, std::uint32_t{1} << 30).find("1 elements of the means"),
            string::npos);
  EXPECT_NE(spoiled("int8_offsets", 3024 + 131, std::uint32_t{1} << 30).find("of q, number 25"),
            string::npos);
  EXPECT_NE(spoiled("ordered_out", (3024 + 5) * width, sign_and_more).find("elements are others"),
            string::npos);
}

TEST_F(BlockSparseAttentionOnGpu, WhatGoesAheadOfAttentionIsRightByItself) {
  for (const char* geometry : {"s3r", "vggt"}) {
    SCOPED_TRACE(geometry);
    expect_right(layer({{"images", "5"}, {"geometry", geometry}, {"region", "ahead"}}));
  }
}

TEST_F(BlockSparseAttentionOnGpu, ASpoiledPartIsFoundOut) {
  variant_run run(tested(), layer({{"images", "3"}}), inputs_);
  const variant_facts& v = test_support::named_variant(tested(), "searched");
  const element_spoiler spoiled{run, v};
  using ::std::string;
  constexpr std::uint16_t sign_and_more = 0xc000;
  EXPECT_NE(spoiled("pooled_q", (24 + 5) * width + 5, sign_and_more).find("block 5, head 1"), string::npos);
  EXPECT_NE(spoiled("pooled_k", (48 + 47) * width + 5, sign_and_more).find("block 47, head 1"), string::npos);
  EXPECT_NE(spoiled("kept", (24 + 7) * 2, std::uint32_t{1} << 9).find("query block 7, head 1"), string::npos);
  EXPECT_NE(spoiled("kept_counts", 24 + 3, std::int32_t{1}).find("query block 3, head 1"), string::npos);
  EXPECT_NE(spoiled("out", (3024 + 1777) * width + 5, std::uint16_t{0x4000}).find("row 1777, head 1"),
            string::npos);
}

TEST_F(BlockSparseAttentionOnGpu, TellsWhatItKeeps) {
  variant_run run(tested(), layer({{"images", "6"}, {"mass", "0"}, {"kept", "25"}}), inputs_);
  ASSERT_TRUE(run.check(test_support::named_variant(tested(), "searched")).ok);
  // 23 of 94.5 key blocks, which are 95.
  EXPECT_NEAR(run.quality().at("sparsity_blocks").get<double>(), 1 - 23.0 / 95, 1e-12);
  const double mass = run.quality().at("attention_mass_kept").get<double>();
  EXPECT_GT(mass, 0.25);
  EXPECT_LT(mass, 1);
}

}  // namespace
}  // namespace ablate::test_support::block_sparse_attention_gpu_test
