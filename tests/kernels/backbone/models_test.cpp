// Backbones as data: parameters, levels, scope tables and work, against known figures.
#include "kernels/network/models.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "kernels/backbone/networks.h"
#include "kernels/backbone/work.h"
#include "kernels/common/bf16.h"
#include "kernels/network/layers.h"
#include "kernels/network/levels.h"
#include "kernels/network/network.h"
#include "kernels/pool/pool.h"
#include "tests/kernels/backbone/drawn.h"

namespace ablate::backbone {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;

network flash(const std::string& name, std::uint32_t points, layer_form form = layer_form::own) {
  return network_of(model_of(name), {points}, {}, form);
}

/// Σ C² + C over the blocks.
std::int64_t squares_of(const char* name) {
  std::int64_t sum = 0;
  for (const std::vector<stage>& half : {model_of(name).encoder, model_of(name).decoder})
    for (const stage& s : half) sum += s.depth() * (std::int64_t{s.channels} * s.channels + s.channels);
  return sum;
}

TEST(BackboneModels, HaveTheKnownParameters) {
  const auto parameters = [](const char* name) { return layers_of(model_of(name)).parameters(); };
  EXPECT_EQ(parameters("ptv3"), 46'158'272);
  EXPECT_EQ(parameters("flash19"), 19'331'712);
  // Of 24 blocks each lacks 4 C² + 4 C.
  EXPECT_EQ(parameters("flash19_gelu"), 19'331'712 - 4 * squares_of("flash19"));
  EXPECT_EQ(parameters("flash46"), 46'655'616);
  EXPECT_EQ(parameters("flash129"), 131'249'280);
  EXPECT_EQ(parameters("flash129_deep"), 128'609'920);
}

TEST(BackboneModels, CountBlocks) {
  EXPECT_EQ(model_of("flash19").blocks(), 24);
  EXPECT_EQ(model_of("flash46").blocks(), 32);
  EXPECT_EQ(model_of("ptv3").blocks(), 22);
}

TEST(BackboneModels, NameEachLayerOnce) {
  for (const std::string& name : model_names()) {
    std::set<std::string> met;
    for (const layer& one : layers_of(model_of(name)).all)
      EXPECT_TRUE(met.insert(one.name).second) << one.name;
  }
}

TEST(BackboneLevels, HaveTheKnownTokens) {
  const auto tokens = [](std::uint32_t points) {
    std::vector<std::int64_t> rows;
    for (const level& l :
         levels_of({points}, {}, interleaved_windows(model_of("flash19"), alignment::published)))
      rows.push_back(l.rows);
    return rows;
  };
  EXPECT_THAT(tokens(23'091), ElementsAre(24'576, 12'288, 8'192, 4'096, 4'096));
  EXPECT_THAT(tokens(92'867), ElementsAre(98'304, 49'152, 24'576, 12'288, 8'192));
}

TEST(BackboneLevels, PoolEachInstanceByItself) {
  const std::vector<level> levels = levels_of({3, 3, 1030}, {}, {6, 1});
  EXPECT_THAT(levels[0].ends, ElementsAre(3, 3, 1030));
  EXPECT_THAT(levels[1].ends, ElementsAre(2, 2, 2 + 512 + 2));
  EXPECT_EQ(levels[0].largest, 1027);
  EXPECT_EQ(levels[1].real, 516);
}

TEST(BackboneLevels, EachBucketIsInOneWindow) {
  for (const scope& where : {scope{0, 1}, scope{3, 1}, scope{0, 2}, scope{5, 3}}) {
    std::vector<std::uint32_t> table = scope_table(24'576, {}, where);
    std::ranges::sort(table);
    std::vector<std::uint32_t> all(48);
    std::iota(all.begin(), all.end(), 0u);
    EXPECT_EQ(table, all);
  }
}

TEST(BackboneLevels, WindowsAreShiftedOrInterleaved) {
  const window_shape shape{128, 256};
  EXPECT_THAT(scope_table(1024, shape, {1, 1}), ElementsAre(1, 2, 3, 4, 5, 6, 7, 0));
  EXPECT_THAT(scope_table(1024, shape, {0, 2}), ElementsAre(0, 2, 1, 3, 4, 6, 5, 7));
  EXPECT_THROW(scope_table(768, shape, {0, 2}), std::invalid_argument);
}

/// Published: six windows; as many as are interleaved: two at the first level; or a bucket.
TEST(BackboneLevels, ArePaddedToWhatIsAsked) {
  const model& m = model_of("flash19");
  const auto tokens = [&](std::uint32_t points, alignment align) {
    std::vector<std::int64_t> rows;
    for (const level& l : levels_of({points}, {.align = align}, interleaved_windows(m, align)))
      rows.push_back(l.rows);
    return rows;
  };
  EXPECT_THAT(interleaved_windows(m, alignment::published), ElementsAre(6, 1, 1, 1, 1));
  EXPECT_THAT(interleaved_windows(m, alignment::window), ElementsAre(2, 1, 1, 1, 1));
  EXPECT_THAT(tokens(92'867, alignment::window), ElementsAre(98'304, 49'152, 24'576, 12'288, 8'192));
  EXPECT_THAT(tokens(25'000, alignment::window), ElementsAre(32'768, 16'384, 8'192, 4'096, 4'096));
  EXPECT_THAT(tokens(23'091, alignment::bucket), ElementsAre(23'552, 11'776, 6'144, 3'072, 1'536));
}

/// What cannot be interleaved follows the rest, in order.
TEST(BackboneLevels, AShortWindowTakesWhatIsLeft) {
  const window_shape shape{.bucket = 128, .window = 256, .align = alignment::bucket};
  EXPECT_THAT(scope_table(128 * 7, shape, {0, 2}), ElementsAre(0, 2, 1, 3, 4, 5, 6));
  EXPECT_THAT(scope_table(128 * 3, shape, {1, 1}), ElementsAre(1, 2, 0));
  for (const std::int64_t buckets : {1, 2, 5, 48, 49}) {
    std::vector<std::uint32_t> table = scope_table(128 * buckets, shape, {3, 2});
    std::ranges::sort(table);
    std::vector<std::uint32_t> all(static_cast<std::size_t>(buckets));
    std::iota(all.begin(), all.end(), 0u);
    EXPECT_EQ(table, all);
  }
}

TEST(BackboneWork, CountsShortWindowsAsTheyAre) {
  const auto attention = [](const window_shape& shape) {
    return operations_of(network_of(model_of("small"), {300}, shape, layer_form::own)).attention;
  };
  const window_shape published{.bucket = 128, .window = 256},
      bucket{.bucket = 128, .window = 256, .align = alignment::bucket},
      masked{.bucket = 128, .window = 256, .masks_padding = true};
  EXPECT_LT(attention(bucket), 0.5 * attention(published));
  EXPECT_LT(attention(masked), 0.5 * attention(published));
}

// In TFLOP.
TEST(BackboneWork, OfFlash3dIsAsKnown) {
  struct row {
    const char* model;
    std::uint32_t points;
    double attention, linear;
  };
  for (const row& r : {row{"flash19", 23'091, 0.421, 0.179}, row{"flash19", 92'867, 1.29, 0.464},
                       row{"flash46", 23'091, 0.661, 0.402}, row{"flash46", 92'867, 1.80, 0.927},
                       row{"flash129", 23'091, 0.92, 1.09}, row{"flash129", 92'867, 2.47, 2.54}})
    for (const layer_form form : {layer_form::library, layer_form::own}) {
      const operations found = operations_of(flash(r.model, r.points, form));
      EXPECT_THAT(found.attention / 1e12, DoubleNear(r.attention, 0.006)) << r.model;
      EXPECT_THAT(found.linear / 1e12, DoubleNear(r.linear, 0.006)) << r.model;
    }
}

/// PTv3's levels with these rows and neighbors a row.
grid_levels grid_of(const std::vector<std::uint32_t>& rows, const std::vector<double>& neighbors,
                    double stem_neighbors) {
  grid_levels grid;
  grid.depth = 12;
  for (std::size_t l = 0; l < rows.size(); ++l) {
    std::vector<std::int64_t> list_ends(position_lists + 1);
    list_ends.back() = std::llround(neighbors[l] * rows[l]);
    grid.of.push_back({{rows[l]}, list_ends});
  }
  grid.stem_list_ends = {std::llround(stem_neighbors * rows[0])};
  return grid;
}

const grid_levels at_23k = grid_of({23091, 17856, 12606, 7911, 4525}, {2.4, 2.8, 3.8, 4.8, 6.2}, 4.1),
                  at_93k = grid_of({92867, 57647, 29972, 14255, 6258}, {3.8, 5.4, 6.1, 5.9, 7.7}, 8.8);

network ptv3(const grid_levels& grid, layer_form form) {
  return network_of_ptv3(model_of("ptv3"), grid, {.window = 1024}, form);
}

// In TFLOP; the known neighbors of a row have two digits.
TEST(BackboneWork, OfPtv3IsAsKnown) {
  for (const layer_form form : {layer_form::library, layer_form::own}) {
    const operations small = operations_of(ptv3(at_23k, form)), large = operations_of(ptv3(at_93k, form));
    EXPECT_THAT(small.attention / 1e12, DoubleNear(0.156, 0.0006));
    EXPECT_THAT(small.linear / 1e12, DoubleNear(0.212, 0.0006));
    EXPECT_THAT(small.convolution / 1e12, DoubleNear(0.079, 0.0008));
    EXPECT_THAT(large.attention / 1e12, DoubleNear(0.349, 0.0006));
    EXPECT_THAT(large.linear / 1e12, DoubleNear(0.394, 0.0006));
    EXPECT_THAT(large.convolution / 1e12, DoubleNear(0.180, 0.0008));
  }
}

/// The times of all steps, at the rates that the known sums were made by: an H200's.
double steps_ms(const network& n) {
  double seconds = 0;
  for (const steps_of_kind& s : steps_by_kind(n))
    seconds +=
        std::max({(s.read_bytes + s.written_bytes) / 4.27e12, s.flops / 910e12, s.exponentials / 4.18e12});
  return 1e3 * seconds;
}

// Within 6 %, of PTv3 within 20 %: the known sums are of single steps, not of kinds, have four or six
// launches a block on top, and do not say what they count beside the blocks.
TEST(BackboneWork, HasTheKnownSteps) {
  const auto launches_ms = [](const char* name, int of_block) {
    return 0.82e-3 * of_block * model_of(name).blocks();
  };
  const auto flash_ms = [&](const char* name, std::uint32_t points) {
    return steps_ms(flash(name, points)) + launches_ms(name, 4);
  };
  EXPECT_THAT(flash_ms("flash19", 23'091), DoubleNear(1.91, 0.06 * 1.91));
  EXPECT_THAT(flash_ms("flash19", 92'867), DoubleNear(5.56, 0.06 * 5.56));
  EXPECT_THAT(flash_ms("flash46", 23'091), DoubleNear(3.08, 0.06 * 3.08));
  EXPECT_THAT(flash_ms("flash46", 92'867), DoubleNear(8.03, 0.06 * 8.03));
  const auto ptv3_ms = [&](const grid_levels& grid) {
    return steps_ms(ptv3(grid, layer_form::own)) + launches_ms("ptv3", 6);
  };
  EXPECT_THAT(ptv3_ms(at_23k), DoubleNear(1.09, 0.2 * 1.09));
  EXPECT_THAT(ptv3_ms(at_93k), DoubleNear(2.24, 0.2 * 2.24));
}

TEST(BackboneWork, StepsOfAKindAreAllThatThePassDoes) {
  for (const layer_form form : {layer_form::library, layer_form::own}) {
    const network n = ptv3(at_23k, form);
    const operations by_part = operations_of(n);
    double flops = 0, attention = 0, convolution = 0;
    std::vector<std::string> kinds;
    for (const steps_of_kind& s : steps_by_kind(n)) {
      kinds.push_back(s.kind);
      flops += s.flops;
      if (s.kind == "attention") attention = s.flops;
      if (s.kind == "convolution") convolution = s.flops;
      EXPECT_GT(s.count, 0) << s.kind;
      EXPECT_GT(s.read_bytes, 0) << s.kind;
      EXPECT_GT(s.written_bytes, 0) << s.kind;
      EXPECT_EQ(s.exponentials > 0, s.kind == "attention") << s.kind;
    }
    EXPECT_DOUBLE_EQ(flops, by_part.all());
    EXPECT_DOUBLE_EQ(attention, by_part.attention);
    EXPECT_DOUBLE_EQ(convolution, by_part.convolution);
    EXPECT_LE(kinds.size(), 8u) << "each case of a record has them";
    std::ranges::sort(kinds);
    EXPECT_TRUE(std::ranges::adjacent_find(kinds) == kinds.end());
  }
}

TEST(BackboneWork, AttentionHasAnExponentialForEachPairOfEachHead) {
  const network n = flash("flash19", 23'091);
  for (const steps_of_kind& s : steps_by_kind(n))
    if (s.kind == "attention") {
      EXPECT_DOUBLE_EQ(s.exponentials, s.flops / (4 * 16));
    }
}

TEST(BackboneWeights, StandAtWholeLines) {
  const layer_table table = layers_of(model_of("small"));
  const weight_places places = places_of(table);
  std::int64_t parameters = 0, matrices = 0;
  for (std::size_t i = 0; i < table.all.size(); ++i) {
    EXPECT_EQ(places.of[i].matrix % 128, 0);
    EXPECT_EQ(places.of[i].bias % 128, 0);
    EXPECT_EQ(places.of[i].vectors % 64, 0);
    parameters += table.all[i].parameters();
    if (table.all[i].kind == layer_kind::linear) matrices += table.all[i].parameters();
  }
  EXPECT_EQ(parameters, table.parameters());
  EXPECT_GE(places.matrix_elements, matrices);
  const packed_weights packed = pack(table, places, drawn);
  EXPECT_EQ(packed.matrices.size(), static_cast<std::size_t>(places.matrix_elements));
  for (const float bias : std::vector<float>(packed.vectors.begin() + places.of[0].vectors,
                                             packed.vectors.begin() + places.of[0].vectors + 32))
    EXPECT_EQ(bias, float_of_bf16(bf16_of_float(bias)));
}

TEST(BackboneWeights, FoldABatchNormIntoItsLayer) {
  const layer one{.name = "up", .inputs = 32, .outputs = 8},
      norm{.name = "norm", .kind = layer_kind::batch_norm, .outputs = 8};
  const linear_values plain = values_of_linear(one, drawn);
  const std::vector<float> of_norm = values_of_batch_norm(norm, drawn), x = drawn(32, "x");
  linear_values folded = plain;
  fold(folded, of_norm, one.inputs);
  for (std::size_t o = 0; o < 8; ++o) {
    double z = plain.bias[o], direct = folded.bias[o];
    for (std::size_t i = 0; i < 32; ++i) {
      z += static_cast<double>(plain.matrix[32 * o + i]) * x[i];
      direct += static_cast<double>(folded.matrix[32 * o + i]) * x[i];
    }
    const double normed = (z - of_norm[o]) /
                              std::sqrt(of_norm[8 + o] + static_cast<double>(pool::norm_epsilon)) *
                              of_norm[16 + o] +
                          of_norm[24 + o];
    EXPECT_NEAR(direct, normed, 1e-6);
  }
}

}  // namespace
}  // namespace ablate::backbone
