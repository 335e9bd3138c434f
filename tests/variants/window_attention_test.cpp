// The operation window_attention on the host: how rows are found, inputs, regions and check.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <set>
#include <span>
#include <utility>

#include "harness/registry/pairs.h"
#include "harness/registry/points.h"
#include "harness/registry/registry.h"
#include "harness/runner/buffers.h"
#include "kernels/window_attention/wave_fit.h"
#include "oracles/window_attention/reference.h"
#include "tests/support/axis_values.h"
#include "tests/support/biased_errors.h"
#include "tests/support/named_variant.h"
#include "tests/support/solved_workload.h"
#include "variants/attention_inputs.h"

namespace ablate::window_attention_test {
namespace {

using test_support::values_of;
using test_support::with;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

const operation& attention() { return *find_operation("window_attention"); }

axis_values small(const axis_values& given) {
  return values_of(
      attention(),
      with({{"tokens", "1024"}, {"window", "256"}, {"bucket", "128"}, {"heads", "2"}, {"width", "16"}},
           given));
}

const input_library& inputs() {
  static const input_library library(1, {}, {});
  return library;
}

std::size_t place_of(const std::vector<buffer>& buffers, const std::string& name) {
  const auto at =
      std::find_if(buffers.begin(), buffers.end(), [&](const buffer& b) { return b.name == name; });
  return static_cast<std::size_t>(at - buffers.begin());
}

std::set<std::string> variants_at(const axis_values& at) {
  std::set<std::string> names;
  for (const variant_facts& v : attention().variants)
    if (v.name.starts_with("hopper_") && first_unmet(v.only_where, at) == nullptr) names.insert(v.name);
  return names;
}

TEST(WindowAttention, OffersWaysToFindRowsWhereTheyApply) {
  EXPECT_THAT(variants_at(small({{"rows", "random"}})),
              UnorderedElementsAre("hopper_gathered", "hopper_gathered_vectorized", "hopper_indexed",
                                   "hopper_sorted", "hopper_fixed_max_gathered"));
  EXPECT_THAT(variants_at(small({{"rows", "z"}, {"region", "order_and_attend"}})),
              UnorderedElementsAre("hopper_sorted"));
  EXPECT_TRUE(variants_at(small({{"rows", "contiguous"}})).contains("hopper_contiguous"));
  EXPECT_FALSE(variants_at(small({})).contains("hopper_contiguous"));
  EXPECT_TRUE(variants_at(small({{"qkv", "packed"}})).contains("hopper_split_qkv"));
  EXPECT_FALSE(variants_at(small({})).contains("hopper_split_qkv"));
  for (const char* variant : {"hopper_cross_tile_overlap", "hopper_cross_tile_overlap_pdl"}) {
    EXPECT_TRUE(variants_at(small({{"width", "64"}})).contains(variant));
    EXPECT_TRUE(variants_at(small({{"width", "128"}})).contains(variant));
    EXPECT_FALSE(variants_at(small({{"width", "32"}})).contains(variant)) << "its products do not overlap";
  }
  EXPECT_FALSE(variants_at(small({{"qkv", "packed"}})).contains("hopper_bounded"));
}

/// Names of switches in which two variants differ.
std::vector<std::string> differences(const std::string& one, const std::string& other) {
  const switches &a = attention().find_variant(one)->switches, &b = attention().find_variant(other)->switches;
  std::vector<std::string> names;
  for (const auto& [name, value] : a)
    if (!b.has(name) || b.word(name) != value) names.push_back(name);
  for (const auto& [name, value] : b)
    if (!a.has(name)) names.push_back(name);
  return names;
}

struct step {
  std::string from, to, by;
  std::vector<std::string> widths;
};

TEST(WindowAttention, StepsOfTheHopperCoreDifferInOneSwitchEach) {
  const std::vector<std::string> narrow = {"16", "32"}, wide = {"64", "128"}, to_64 = {"16", "32", "64"};
  const std::vector<step> ladder = {
      {"hopper_step_one_group", "hopper_step_ring", "stages", {"64"}},
      {"hopper_step_ring", "hopper_step_two_groups", "groups", {"64"}},
      {"hopper_step_two_groups", "hopper_step_all_groups", "groups", {"64"}},
      {"hopper_step_ring", "hopper_step_all_groups", "groups", {"128"}},
      {"hopper_step_all_groups", "hopper_step_overlapped", "overlap", wide},
      {"hopper_step_overlapped", "hopper_step_pingpong", "pingpong", wide},
      {"hopper_step_pingpong", "hopper_step_pingpong+persistent", "persistent", wide},
      {"hopper_step_overlapped", "hopper_online", "persistent", wide},
      {"hopper_step_one_tile_a_block", "hopper_online", "persistent", narrow},
      {"hopper_online", "hopper_step_pingpong+persistent", "pingpong", wide},
      {"hopper_online", "hopper_step_fixed_max", "softmax", to_64},
      {"hopper_step_pingpong+persistent", "hopper_step_fixed_max_pingpong", "softmax", wide},
      {"hopper_step_fixed_max", "hopper_step_software_exp2", "exp2", to_64},
      {"hopper_step_software_exp2", "hopper_step_sums_by_product", "sums", to_64},
      {"hopper_online", "hopper_contiguous", "rows", to_64},
      {"hopper_fixed_max", "hopper_fixed_max_contiguous", "rows", to_64},
      {"hopper_fixed_max", "hopper_inline_retry", "retry", narrow},
      {"hopper_inline_retry", "hopper_wave_fit", "tiles", {"16"}},
      {"hopper_exp2_bf16x2", "hopper_exp2_bf16x2_wave_fit", "tiles", {"16"}},
      {"hopper_exp2_bf16x2_wave_fit",
       "hopper_exp2_bf16x2_wave_fit+tiles=wave_fit_overlapped",
       "tiles",
       {"16"}},
      {"hopper_step_one_group+persistent", "hopper_step_ring+persistent", "stages", {"64"}},
      {"hopper_step_two_groups+stages=one", "hopper_step_two_groups", "stages", {"64"}},
      {"hopper_step_one_group", "hopper_step_two_groups+stages=one", "groups", {"64"}},
      {"hopper_step_two_groups+overlap=wide+persistent", "hopper_online", "groups", {"64"}},
      {"hopper_step_two_groups", "hopper_step_two_groups+overlap=wide", "overlap", {"64"}},
      {"hopper_step_all_groups+persistent", "hopper_online", "overlap", wide},
      {"hopper_step_fixed_max+persistent=off", "hopper_step_fixed_max", "persistent", to_64},
      {"hopper_step_fixed_max", "hopper_step_fixed_max+sums=product", "sums", to_64},
      {"hopper_step_fixed_max+sums=product", "hopper_step_sums_by_product", "exp2", to_64},
      {"hopper_fixed_max", "hopper_fixed_max+tiles=wave_fit", "tiles", {"16"}},
      {"hopper_fixed_max+tiles=wave_fit", "hopper_wave_fit", "retry", {"16"}},
      {"hopper_fixed_max", "hopper_fixed_max+pdl", "pdl", to_64},
      {"hopper_cross_tile_overlap+cross_tile_overlap=off", "hopper_cross_tile_overlap", "cross_tile_overlap",
       wide},
      {"hopper_exp2_bf16x2", "hopper_exp2_bf16x2+rows=contiguous", "rows", narrow}};
  for (const step& s : ladder) {
    SCOPED_TRACE(s.from + " to " + s.to);
    EXPECT_THAT(differences(s.from, s.to), ElementsAre(s.by));
    for (const std::string& width : s.widths) {
      for (const std::string& name : {s.from, s.to}) {
        const variant_facts* there = attention().find_variant(name);
        ASSERT_TRUE(there) << name;
        EXPECT_FALSE(first_unmet(there->only_where, small({{"width", width}, {"rows", "contiguous"}})))
            << name << " at " << width;
      }
    }
  }
}

TEST(WindowAttention, WaysToGatherRowsDifferInOneSwitchEach) {
  for (const std::string softmax : {"", "+softmax=fixed_max"}) {
    SCOPED_TRACE(softmax);
    const std::string elements = "hopper_gathered", vectors = "hopper_gathered_vectorized";
    EXPECT_THAT(differences(elements + softmax, elements + "+index=int32" + softmax), ElementsAre("index"));
    EXPECT_THAT(differences(elements + softmax, elements + "+vector=16B" + softmax), ElementsAre("vector"));
    EXPECT_THAT(differences(elements + "+index=int32+vector=16B" + softmax, vectors + softmax),
                ElementsAre("launches"));
    EXPECT_THAT(differences(vectors + softmax, vectors + "+index=int64" + softmax), ElementsAre("index"));
  }
  EXPECT_THAT(differences("hopper_fixed_max_gathered", "hopper_fixed_max_gathered+launches=per_tensor"),
              ElementsAre("launches"));
}

TEST(WindowAttention, PairsOnWarpProductsDifferInOneSwitchAndNeedNoHopper) {
  for (const std::string packed : {"mma_exp2_bf16x2+exp2=bf16x2_4of16", "mma_exp2_bf16x2"}) {
    SCOPED_TRACE(packed);
    EXPECT_THAT(differences("mma_fixed_max", packed), ElementsAre("exp2"));
    const variant_facts& v = test_support::named_variant(attention(), packed);
    EXPECT_LE(v.minimum_compute_capability, 80);
    EXPECT_EQ(first_unmet(v.only_where, small({{"width", "32"}})), nullptr);
    EXPECT_NE(first_unmet(v.only_where, small({{"width", "64"}})), nullptr);
    EXPECT_EQ(v.switches.word("exp2"),
              attention().find_variant("hopper" + packed.substr(3))->switches.word("exp2"));
  }
}

/// What tensor cores' instructions are worth is read beside the same softmax, not among several changes.
TEST(WindowAttention, CoresDifferInThatAloneAtEachSoftmax) {
  std::set<std::string> softmax;
  for (const point_pair& pair : pairs_of(attention()))
    if (pair.differs_in == "core") softmax.insert(value_of(pair.one->switches, "softmax"));
  EXPECT_EQ(softmax, (std::set<std::string>{"online", "bounded", "fixed_max"}));
}

TEST(WindowAttention, SmallTilesWhereTheyTakeLessTime) {
  constexpr int multiprocessors = 132;
  const auto take_less = [](std::int64_t windows, std::int64_t heads, std::int64_t window = 4096,
                            double row_time = 1) {
    window_attention::problem p;
    p.tokens = windows * window;
    p.heads = heads;
    p.window = window;
    return window_attention::small_tiles_take_less(p, multiprocessors, row_time);
  };
  EXPECT_TRUE(take_less(6, 2));  // 192 tiles of 256 queries in two rounds, 264 of 192 too
  EXPECT_TRUE(take_less(3, 4));
  EXPECT_FALSE(take_less(1, 8));   // 128 tiles in one round
  EXPECT_FALSE(take_less(1, 16));  // 256 in two, 352 in three
  EXPECT_FALSE(take_less(6, 4));   // 384 in three, 528 in four: the same
  EXPECT_FALSE(take_less(1, 32));  // 512 in four
  EXPECT_FALSE(take_less(0, 32));
  EXPECT_TRUE(take_less(1, 1, 192));     // one tile of a quarter less
  EXPECT_TRUE(take_less(66, 1, 256));    // 66 in one, 132 in one
  EXPECT_FALSE(take_less(132, 1, 256));  // 132 in one, 264 in two
  constexpr double row_time = window_attention::measured_small_row_time;
  EXPECT_TRUE(take_less(6, 2, 4096, row_time));
  EXPECT_TRUE(take_less(5, 6));  // 480 in four, 660 in five: 960 queries for 1024, that take longer
  EXPECT_FALSE(take_less(5, 6, 4096, row_time));
}

TEST(WindowAttention, RefusesWhatRowsDoNotHave) {
  EXPECT_THAT(attention().refuses(small({{"rows", "contiguous"}, {"order", "shuffled"}})).value_or(""),
              HasSubstr("rows=contiguous"));
  EXPECT_THAT(attention().refuses(small({{"rows", "scan"}, {"offset", "1"}})).value_or(""),
              HasSubstr("rows=scan"));
  EXPECT_THAT(attention().refuses(small({{"region", "order_and_attend"}})).value_or(""),
              HasSubstr("nothing to sort"));
  EXPECT_EQ(attention().refuses(small({{"rows", "random"}, {"region", "order_and_attend"}})), std::nullopt);
}

TEST(WindowAttention, SortsAheadOfTheRegionUnlessItBelongsToIt) {
  EXPECT_FALSE(attention().has_ahead(small({}), inputs()));
  EXPECT_TRUE(attention().has_ahead(small({{"rows", "random"}}), inputs()));
  EXPECT_FALSE(attention().has_ahead(small({{"rows", "random"}, {"region", "order_and_attend"}}), inputs()));
}

TEST(WindowAttention, FillsBuffersByHowRowsStandAndQkvLies) {
  for (const char* rows : {"buckets", "contiguous", "random", "scan", "z"})
    for (const char* qkv : {"split", "packed"}) {
      const axis_values at = small({{"rows", rows}, {"qkv", qkv}});
      SCOPED_TRACE(std::string(rows) + ", " + qkv);
      const std::vector<buffer> buffers = attention().buffers(at, inputs());
      const workload work = attention().prepare(at, inputs());
      ASSERT_EQ(work.contents.size(), buffers.size());
      for (std::size_t i = 0; i < buffers.size(); ++i) {
        if (buffers[i].role != buffer_role::input) continue;
        EXPECT_EQ(work.contents[i].size(), buffers[i].bytes) << buffers[i].name;
      }
      constexpr std::size_t tensor_bytes = 1024 * 2 * 16 * 2;
      const bool is_packed = std::string(qkv) == "packed";
      EXPECT_EQ(buffers[place_of(buffers, "q")].bytes, is_packed ? 0 : tensor_bytes);
      EXPECT_EQ(buffers[place_of(buffers, "qkv")].bytes, is_packed ? 3 * tensor_bytes : 0);
    }
}

TEST(WindowAttention, ContiguousRowsNeedTheScopeTableLess) {
  const axis_values at = small({{"rows", "contiguous"}});
  const auto memory_with = [&](const char* variant) {
    return memory_of(attention().buffers_of(attention().find_variant(variant), at, inputs()));
  };
  for (const auto& [redirected, computed] :
       {std::pair("hopper_online", "hopper_contiguous"), std::pair("mma_online", "mma_contiguous")}) {
    const auto with = memory_with(redirected), without = memory_with(computed);
    EXPECT_EQ(with.bytes - without.bytes, 4 * 1024 / 128) << computed;
    const auto scope_of = [](const auto& memory) {
      return std::ranges::find(memory.by_buffer, "scope", [](const auto& b) { return b.first; });
    };
    EXPECT_EQ(scope_of(with)->second, 4 * 1024 / 128);
    EXPECT_EQ(scope_of(without), without.by_buffer.end());
  }
}

template <class T>
std::vector<T> numbers_of(std::span<const std::byte> bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

TEST(WindowAttention, OrdersOfRowsDifferInTheirIndexAlone) {
  std::set<std::vector<std::int64_t>> indices;
  std::set<std::vector<std::uint64_t>> sorted_keys;
  for (const char* rows : {"random", "scan", "z"}) {
    const axis_values at = small({{"rows", rows}});
    const std::vector<buffer> buffers = attention().buffers(at, inputs());
    const workload work = attention().prepare(at, inputs());
    indices.insert(numbers_of<std::int64_t>(work.contents[place_of(buffers, "row_of_token")]));
    auto keys = numbers_of<std::uint64_t>(work.contents[place_of(buffers, "keys")]);
    std::sort(keys.begin(), keys.end());
    sorted_keys.insert(keys);
  }
  EXPECT_EQ(indices.size(), 3u);
  EXPECT_EQ(sorted_keys.size(), 1u);
}

TEST(WindowAttention, TellsHowNearWindowsOfScatteredRowsStandInSpaceAndInMemory) {
  const auto figures = [](const char* rows) {
    const axis_values at = small({{"rows", rows}});
    const host_outputs outputs(attention().buffers(at, inputs()));
    return attention().prepare(at, inputs()).quality(outputs.pointers());
  };
  const auto random = figures("random"), z = figures("z");
  // The same windows of the same points, whatever the order of the rows.
  EXPECT_NEAR(random.at("locality_rms_m").get<double>(), z.at("locality_rms_m").get<double>(), 1e-9);
  EXPECT_GT(random.at("locality_rms_m"), 0);
  EXPECT_LT(z.at("row_distance").get<double>(), random.at("row_distance").get<double>());
  EXPECT_GT(z.at("row_neighbor_share").get<double>(), random.at("row_neighbor_share").get<double>());
  for (const char* rows : {"buckets", "contiguous"})
    EXPECT_TRUE(figures(rows).at("locality_rms_m").is_null()) << rows;
}

std::vector<std::string> words_of(const std::string& name) {
  return std::ranges::find(attention().axes, name, &axis::name)->words;
}

using solved = test_support::solved_workload;
using window_attention::deviations;

solved solved_at(const axis_values& given) { return solved(attention(), small(given)); }

TEST(WindowAttention, AcceptsItsReferenceWhateverTheInputs) {
  for (const char* rows : {"buckets", "contiguous", "scan"})
    for (const std::string& scores : words_of("scores")) {
      const solved c = solved_at({{"rows", rows}, {"scores", scores}, {"tokens", "2048"}, {"window", "512"}});
      EXPECT_TRUE(c.check().ok) << rows << ", " << scores << ": " << c.check().message;
      EXPECT_EQ(c.check().accepted_error, window_attention::accepted_row_error);
    }
}

TEST(WindowAttention, FindsTheWorstRowOfOutputsAndOfLogSumExps) {
  solved c = solved_at({});
  deviations& found = c.output<deviations>("found")[0];
  ASSERT_TRUE(c.check().ok);
  found.out.rows_over = 1;
  found.out.worst = {0.02f, 0, 1023, 1, 15, -0.5f, -0.51f};
  EXPECT_THAT(c.check().message, HasSubstr("O: 1 of 2048 rows are off by more than 7.8e-03, at most by "
                                           "2.0e-02: batch 0, row 1023, head 1: element 15 is -0.51, "
                                           "expected -0.5"));
  found.out.rows_not_finite = 1;
  found.out.worst.error = std::numeric_limits<float>::infinity();
  EXPECT_THAT(c.check().message,
              HasSubstr("O: 1 of 2048 rows have NaN or an infinity where plain attention has none"));
  found.out = found.lse;
  ASSERT_TRUE(c.check().ok);
  found.lse.worst = {0.01f, 0, 3, 0, 0, 6, 6.01f};
  EXPECT_THAT(c.check().message, HasSubstr("log-sum-exp: "));
  found.lse.worst = {};
  found.lse.rows = 2047;
  EXPECT_THAT(c.check().message, HasSubstr("log-sum-exp: 2047 of 2048 rows were compared"));
}

TEST(WindowAttention, TellsTheTypicalErrorBesideTheWorstAndTheAccepted) {
  solved c = solved_at({});
  deviations& found = c.output<deviations>("found")[0];
  found.out.squared_errors = 2048 * 4e-6;
  found.out.worst.error = 0.005f;
  const auto figures = c.quality();
  EXPECT_NEAR(figures.at("out_error_typical").get<double>(), 2e-3, 1e-9);
  EXPECT_NEAR(figures.at("out_error_worst").get<double>(), 5e-3, 1e-9);
  EXPECT_EQ(figures.at("out_error_accepted").get<double>(), window_attention::accepted_row_error);
  EXPECT_EQ(figures.at("lse_error_accepted").get<double>(), window_attention::accepted_lse_error);
}

TEST(WindowAttention, FindsWhatIsTruncatedByTheMeanOfAllErrors) {
  solved c = solved_at({});
  deviations& found = c.output<deviations>("found")[0];
  found.out.signs = test_support::biased_errors(-2.8e-3);
  EXPECT_THAT(c.check().message, HasSubstr("O: elements are 2.80e-03 of themselves too small in the mean"));
  EXPECT_NEAR(c.quality().at("out_bias").get<double>(), -2.8e-3, 1e-9);
  EXPECT_LT(c.quality().at("out_bias_accepted").get<double>(), 1e-3);
  found.out.signs = test_support::biased_errors(2e-4);
  EXPECT_TRUE(c.check().ok) << c.check().message;
  found.lse.signs = test_support::biased_errors(1e-3);
  EXPECT_THAT(c.check().message, HasSubstr("log-sum-exp: elements are 1.00e-03"));
}

TEST(WindowAttention, RowsThatAreAlikeMayRoundAlike) {
  solved c = solved_at({{"scores", "zero"}, {"window", "512"}});
  c.output<deviations>("found")[0].out.signs = test_support::biased_errors(6e-4);
  EXPECT_TRUE(c.check().ok) << c.check().message;
}

TEST(WindowAttention, FindsOneSampledRowWrong) {
  constexpr std::size_t rows = 48, width = 16;
  for (const std::size_t row : {std::size_t{0}, rows - 1}) {
    solved c = solved_at({});
    const std::span<float> out = c.output<float>("sampled_out").subspan(row * width, width);
    const std::vector<float> right(out.begin(), out.end());
    for (float& element : out) element *= 1.5f;
    EXPECT_THAT(c.check().message, HasSubstr("against fp64")) << row;
    std::ranges::copy(right, out.begin());
    ASSERT_TRUE(c.check().ok);
    double norm = 0;
    for (const float element : right) norm += element * element;
    out[7] += 0.1f * static_cast<float>(std::sqrt(norm));
    EXPECT_THAT(c.check().message, HasSubstr("O, batch 0, row ")) << row;
    for (const float wrong : {std::nanf(""), std::numeric_limits<float>::infinity()}) {
      out[7] = wrong;
      EXPECT_FALSE(c.check().ok) << row;
    }
    std::ranges::copy(right, out.begin());
    c.output<float>("sampled_lse")[row] += 0.005f;
    EXPECT_THAT(c.check().message, HasSubstr("log-sum-exp, batch 0, row ")) << row;
  }
}

TEST(WindowAttention, NaNAndInfinitiesBelongWhereTheInputsPutThem) {
  for (const char* scores : {"nan_key", "inf_key", "nan_query", "inf_query", "nan_value", "inf_value"}) {
    solved c = solved_at({{"scores", scores}});
    const std::span<float> out = c.output<float>("sampled_out");
    const auto special = std::ranges::find_if(out, [](float x) { return !std::isfinite(x); });
    ASSERT_NE(special, out.end()) << scores;
    for (const float wrong : {0.0f, -std::numeric_limits<float>::infinity()}) {
      *special = wrong;
      EXPECT_FALSE(c.check().ok) << scores << ", " << wrong;
    }
  }
  solved c = solved_at({{"scores", "huge_values"}});
  EXPECT_GT(std::ranges::max(c.output<float>("sampled_out")), 1e35f);
}

/// Queries and keys of one head of one window, [window][width].
struct scored_window {
  scored_window(const window_attention::checked_problem& p, std::int64_t window, std::int64_t head)
      : width(static_cast<std::size_t>(p.width)) {
    for (std::int64_t token = 0; token < p.window; ++token)
      for (int d = 0; d < p.width; ++d) {
        const auto value = [&](window_attention::tensor of) {
          return generated_value(p, of, {0, window, token, head}, row_of(p, window, token), d);
        };
        queries.push_back(value(window_attention::tensor::q));
        keys.push_back(value(window_attention::tensor::k));
      }
  }

  /// Whether a score is 120 powers of two above the maximum over the first 128 keys.
  bool overflows(std::int64_t query) const {
    constexpr double lowest = std::numeric_limits<double>::lowest();
    double first = lowest, later = lowest;
    const auto q = std::span(queries).subspan(static_cast<std::size_t>(query) * width, width);
    for (std::size_t key = 0; key < keys.size() / width; ++key) {
      double& most = key < 128 ? first : later;
      most = std::max(most, std::inner_product(q.begin(), q.end(),
                                               keys.begin() + static_cast<std::ptrdiff_t>(key * width), 0.0));
    }
    return (later - first) / std::sqrt(static_cast<double>(width)) / std::log(2) > 120;
  }

  std::size_t width;
  std::vector<double> queries, keys;
};

/// The number of tiles of 128 queries in which a softmax without a running maximum overflows, that is, with
/// a score 120 powers of two above the row's maximum over the first 128 keys; and the number of tiles.
/// Checks every ninth query of a tile.
std::pair<int, int> overflowing_tiles(const axis_values& at) {
  const std::vector<std::uint32_t> scope = window_attention::scope_of(at, 1);
  window_attention::checked_problem p = window_attention::windows_at(at, 1);
  p.scope = scope.data();
  std::pair<int, int> found = {0, 0};
  for (std::int64_t window = 0; window < p.windows(); ++window)
    for (std::int64_t head = 0; head < p.heads; ++head) {
      const scored_window scored(p, window, head);
      for (std::int64_t first = 0; first < p.window; first += 128) {
        int rows = 0;
        for (std::int64_t query = first; query < first + 128; query += 9) rows += scored.overflows(query);
        EXPECT_TRUE(rows == 0 || rows == 15) << rows;
        found.first += rows > 0;
        ++found.second;
      }
    }
  return found;
}

TEST(WindowAttention, ThatShareOfQueryTilesOverflowsWhichTheScoresName) {
  const auto share = [](const char* scores, const char* width) {
    return overflowing_tiles(small({{"tokens", "10240"},
                                    {"window", "512"},
                                    {"bucket", "256"},
                                    {"heads", "1"},
                                    {"width", width},
                                    {"order", "shuffled"},
                                    {"scores", scores}}));
  };
  for (const char* width : {"16", "128"}) {
    EXPECT_EQ(share("unit", width), std::pair(0, 80));
    EXPECT_EQ(share("overflow_all", width), std::pair(80, 80));
    EXPECT_EQ(share("overflow_10pct", width), std::pair(8, 80));
    EXPECT_EQ(share("overflow_0.1pct", width), std::pair(2, 80)) << "one tile of 256 at least";
  }
}

TEST(WindowAttention, WindowsOfTheFirstKeysAloneCannotOverflow) {
  EXPECT_THAT(attention().refuses(small({{"window", "128"}, {"scores", "overflow_all"}})).value_or(""),
              HasSubstr("scores=overflow_all"));
  EXPECT_EQ(attention().refuses(small({{"window", "256"}, {"scores", "overflow_all"}})), std::nullopt);
}

}  // namespace
}  // namespace ablate::window_attention_test
