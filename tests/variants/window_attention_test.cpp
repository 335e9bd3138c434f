// The operation window_attention on the host: ways to find rows, their inputs, regions and check.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "harness/registry/registry.h"
#include "harness/runner/buffers.h"

namespace ablate::window_attention_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

const operation& attention() { return *find_operation("window_attention"); }

axis_values small(const axis_values& given) {
  axis_values all;
  for (const axis& a : attention().axes) all.set(a.name, a.default_value);
  for (const auto& [name, value] :
       axis_values{{"tokens", "1024"}, {"window", "256"}, {"bucket", "128"}, {"heads", "2"}, {"width", "16"}})
    all.set(name, value);
  for (const auto& [name, value] : given) all.set(name, value);
  return all;
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
  EXPECT_THAT(
      variants_at(small({{"rows", "random"}})),
      UnorderedElementsAre("hopper_gathered", "hopper_gathered_vectorized", "hopper_indexed", "hopper_sorted",
                           "hopper_first_tile_gathered", "hopper_first_tile_indexed"));
  EXPECT_THAT(variants_at(small({{"rows", "z"}, {"region", "order_and_attend"}})),
              UnorderedElementsAre("hopper_sorted"));
  EXPECT_TRUE(variants_at(small({{"rows", "contiguous"}})).contains("hopper_contiguous"));
  EXPECT_FALSE(variants_at(small({})).contains("hopper_contiguous"));
  EXPECT_TRUE(variants_at(small({{"qkv", "packed"}})).contains("hopper_split"));
  EXPECT_FALSE(variants_at(small({})).contains("hopper_split"));
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
      {"hopper_step_overlapped", "hopper_step_turns", "turns", wide},
      {"hopper_step_turns", "hopper_step_turns_persistent", "persistent", wide},
      {"hopper_step_overlapped", "hopper_online", "persistent", wide},
      {"hopper_step_one_tile_a_block", "hopper_online", "persistent", narrow},
      {"hopper_online", "hopper_step_turns_persistent", "turns", wide},
      {"hopper_online", "hopper_step_first_tile", "softmax", to_64},
      {"hopper_step_turns_persistent", "hopper_step_first_tile_turns", "softmax", wide},
      {"hopper_step_first_tile", "hopper_step_software_exp2", "exp2", to_64},
      {"hopper_step_software_exp2", "hopper_step_sums_by_product", "sums", to_64},
      {"hopper_online", "hopper_contiguous", "rows", to_64},
      {"hopper_first_tile", "hopper_first_tile_contiguous", "rows", to_64}};
  for (const step& s : ladder) {
    SCOPED_TRACE(s.from + " to " + s.to);
    EXPECT_THAT(differences(s.from, s.to), ElementsAre(s.by));
    for (const std::string& width : s.widths) {
      const std::set<std::string> there = variants_at(small({{"width", width}, {"rows", "contiguous"}}));
      EXPECT_TRUE(there.contains(s.from) && there.contains(s.to)) << width;
    }
  }
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
  const auto memory_of = [&](const char* variant) {
    return memory_json(attention().buffers_of(attention().find_variant(variant), at, inputs()));
  };
  for (const auto& [redirected, computed] :
       {std::pair("hopper_online", "hopper_contiguous"), std::pair("mma_online", "mma_contiguous")}) {
    const auto with = memory_of(redirected), without = memory_of(computed);
    EXPECT_EQ(with["bytes"].get<int>() - without["bytes"].get<int>(), 4 * 1024 / 128) << computed;
    EXPECT_EQ(with["buffers"]["scope"], 4 * 1024 / 128);
    EXPECT_FALSE(without["buffers"].contains("scope"));
  }
}

template <class T>
std::vector<T> values_of(std::span<const std::byte> bytes) {
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
    indices.insert(values_of<std::int64_t>(work.contents[place_of(buffers, "row_of_token")]));
    auto keys = values_of<std::uint64_t>(work.contents[place_of(buffers, "keys")]);
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

TEST(WindowAttention, AcceptsItsReferenceWhereverRowsStandAndNothingElse) {
  for (const char* rows : {"buckets", "contiguous", "scan"}) {
    SCOPED_TRACE(rows);
    const axis_values at = small({{"rows", rows}});
    const std::vector<buffer> buffers = attention().buffers(at, inputs());
    host_outputs outputs(buffers);
    const workload work = attention().prepare(at, inputs());
    std::vector<void*> addresses;
    for (std::size_t i = 0; i < buffers.size(); ++i)
      addresses.push_back(buffers[i].role == buffer_role::output ? outputs.at(i) : nullptr);
    work.reference(addresses);
    EXPECT_TRUE(work.check(outputs.pointers()).ok);
    static_cast<float*>(outputs.at(place_of(buffers, "sampled_out")))[5] += 1;
    EXPECT_FALSE(work.check(outputs.pointers()).ok);
  }
}

}  // namespace
}  // namespace ablate::window_attention_test
