// PTv3 on the host: levels counted against plain code, windows, the index and its faults, and the oracle
// against a naive pass that knows nothing of networks, orders of steps or kernel maps.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kernels/backbone/networks.h"
#include "kernels/common/bf16.h"
#include "kernels/common/half.h"
#include "kernels/network/parts.h"
#include "kernels/ptv3/parts.h"
#include "kernels/ptv3/window_slots.h"
#include "oracles/backbone/counted_levels.h"
#include "oracles/backbone/reference.h"
#include "oracles/serialize/reference.h"
#include "tests/kernels/backbone/drawn.h"
#include "tests/kernels/backbone/overlaps.h"
#include "tests/kernels/backbone/ptv3_pass.h"

namespace ablate::backbone {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

ptv3_pass one_instance(layer_form form = layer_form::library) {
  return ptv3_pass({drawn_cells(397, "one")}, form);
}
ptv3_pass three_instances(layer_form form = layer_form::library) {
  return ptv3_pass({drawn_cells(300, "a"), {}, drawn_cells(333, "b")}, form);
}

TEST(Ptv3Levels, AreCountedAsPlainCodeDoes) {
  const std::vector<cell> cells = drawn_cells(300, "levels");
  std::vector<std::int32_t> flat;
  for (const cell& c : cells) flat.insert(flat.end(), c.begin(), c.end());
  const grid_levels grid = grid_levels_of(flat, {0, 300}, level_count);
  EXPECT_EQ(grid.depth, 7);
  std::set<cell> level(cells.begin(), cells.end());
  const auto pairs = [&](int reach) {
    std::int64_t count = 0;
    for (const cell& c : level)
      for (int x = -reach; x <= reach; ++x)
        for (int y = -reach; y <= reach; ++y)
          for (int z = -reach; z <= reach; ++z) count += level.contains({c[0] + x, c[1] + y, c[2] + z});
    return count;
  };
  EXPECT_EQ(grid.stem_list_ends.back(), pairs(2));
  for (const grid_level& of : grid.of) {
    EXPECT_THAT(of.ends, ElementsAre(0, level.size()));
    EXPECT_EQ(of.list_ends.back(), pairs(1));
    // A row is its own neighbor at the middle offset.
    EXPECT_EQ(of.list_ends[14] - of.list_ends[13], static_cast<std::int64_t>(level.size()));
    std::set<cell> next;
    for (const cell& c : level) next.insert({c[0] / 2, c[1] / 2, c[2] / 2});
    level = std::move(next);
  }
}

TEST(Ptv3Levels, ABitIsLeftForEachPooling) {
  EXPECT_EQ(grid_levels_of({0, 0, 0}, {1}, level_count).depth, level_count - 1);
}

TEST(Ptv3Levels, AWindowIsNeverLongerThanAnInstance) {
  grid_levels grid = grid_levels_of({0, 0, 0, 1, 0, 0}, {2}, 1);
  EXPECT_EQ(rows_below_window(grid.of[0], 2), 0);
  EXPECT_EQ(rows_below_window(grid.of[0], 3), 2);
  EXPECT_THROW(levels_of(grid, 3), std::invalid_argument);
  EXPECT_EQ(levels_of(grid, 2)[0].slots, 2);
}

/// Against the padding of the operation that PTv3's serialization is.
TEST(Ptv3Slots, AreSerializesPadding) {
  const std::vector<std::uint32_t> ends = {0, 5, 5, 13, 17};
  constexpr std::uint32_t window = 4;
  std::vector<std::uint32_t> slot_ends;
  serialize::problem p{.instances = 5, .points = 17, .patch = window, .ends = ends.data()};
  for (std::size_t k = 0; k < ends.size(); ++k) {
    const std::uint32_t rows = ends[k] - (k == 0 ? 0 : ends[k - 1]);
    p.slots += serialize::slots_of(rows, window);
    p.sequences += serialize::sequences_of(rows, window);
    slot_ends.push_back(static_cast<std::uint32_t>(p.slots));
  }
  const serialize::padding right = serialize::padding_of(p);
  for (std::uint32_t slot = 0; slot < slot_ends.back(); ++slot) {
    const instance_slots of(ends.data(), slot_ends.data(), instance_at(slot_ends.data(), 5, slot));
    EXPECT_EQ(of.place_of(slot, window), right.pad[slot]) << slot;
  }
  for (std::uint32_t place = 0; place < 17; ++place) {
    const instance_slots of(ends.data(), slot_ends.data(), instance_at(ends.data(), 5, place));
    EXPECT_EQ(of.slot_of(place), right.unpad[place]) << place;
  }
}

TEST(Ptv3Network, WaitsWhereThePublishedCodeDoes) {
  const ptv3_pass pass = one_instance();
  EXPECT_EQ(published_waits(*pass.steps), 132);
}

TEST(Ptv3Network, MayHaveItsIndexFirst) {
  const std::vector<cell> cells = drawn_cells(397, "one");
  std::vector<std::int32_t> flat;
  for (const cell& c : cells) flat.insert(flat.end(), c.begin(), c.end());
  const grid_levels grid = grid_levels_of(flat, {397}, level_count);
  const window_shape shape{.bucket = 128, .window = small_window};
  const auto steps_in = [&](index_order order) {
    return network_of_ptv3(model_of("small_ptv3"), grid, shape, layer_form::library, order).steps;
  };
  std::vector<step> as_needed = steps_in(index_order::as_needed), first = steps_in(index_order::first);
  EXPECT_TRUE(std::ranges::is_partitioned(first, [](const step& s) { return is_index(s.kind); }));
  EXPECT_FALSE(std::ranges::is_partitioned(as_needed, [](const step& s) { return is_index(s.kind); }));
  std::ranges::stable_partition(as_needed, [](const step& s) { return is_index(s.kind); });
  const auto names = [](const std::vector<step>& steps) {
    std::vector<std::string> all;
    for (const step& s : steps) all.push_back(s.name);
    return all;
  };
  EXPECT_EQ(names(as_needed), names(first));
}

TEST(Ptv3Network, WithoutPositionsOrWithOneOrderHasLess) {
  grid_levels grid;
  grid.depth = 10;
  for (int l = 0; l < level_count; ++l)
    grid.of.push_back({{2000}, std::vector<std::int64_t>(position_lists + 1)});
  const auto made = [&](const char* name) {
    return network_of_ptv3(model_of(name), grid, {.window = 1024}, layer_form::library);
  };
  const network all = made("ptv3"), bare = made("ptv3_without_positions"), one = made("ptv3_one_order");
  const auto count = [](const network& n, step_kind kind) {
    return std::ranges::count(n.steps, kind, &step::kind);
  };
  EXPECT_EQ(count(all, step_kind::convolve), 23);
  EXPECT_EQ(count(bare, step_kind::convolve), 1);
  EXPECT_EQ(count(bare, step_kind::map), 1);
  EXPECT_EQ(bare.layers.parameters(), 14'201'536);
  EXPECT_EQ(one.layers.parameters(), 14'201'536);
  EXPECT_EQ(published_waits(bare), 127);
  EXPECT_TRUE(std::ranges::all_of(one.steps, [](const step& s) { return s.curve == 0; }));
  EXPECT_LT(one.index.bytes, bare.index.bytes);
}

/// On its way to Flash3D: waits for padding and gathers go with the windows' index, codes with pools by grid.
TEST(Ptv3Network, InBucketsRowsStayWhereTheyAre) {
  const auto count = [](const network& n, step_kind kind) {
    return std::ranges::count(n.steps, kind, &step::kind);
  };
  const std::vector<std::vector<cell>> cells = {drawn_cells(397, "one")};
  for (const char* name : {"small_in_buckets", "small_bucket_pools"}) {
    const network n = small_network(cells, layer_form::library, name);
    const bool by_grid = n.pools_by_grid();
    EXPECT_EQ(count(n, step_kind::order), 1) << name;
    EXPECT_EQ(count(n, step_kind::arrange), 1) << name;
    EXPECT_EQ(count(n, step_kind::restore), 1) << name;
    EXPECT_EQ(count(n, step_kind::codes), by_grid ? 1 : 0) << name;
    for (const step_kind gone : {step_kind::slots, step_kind::into_windows, step_kind::from_windows})
      EXPECT_EQ(count(n, gone), 0) << name;
    // The order, the stem, a table a block; codes and three a pool by grid, or two in buckets.
    const int pools = level_count - 1;
    EXPECT_EQ(published_waits(n), 4 + 1 + n.of.blocks() + (by_grid ? 4 + 3 * pools : 2 * pools)) << name;
  }
}

TEST(Ptv3Network, InBucketsLevelsArePaddedAsFlash3Ds) {
  const std::vector<std::vector<cell>> cells = {drawn_cells(397, "one")};
  const network by_grid = small_network(cells, layer_form::library, "small_in_buckets"),
                in_buckets = small_network(cells, layer_form::library, "small_bucket_pools");
  EXPECT_EQ(by_grid.levels[0].rows, 6 * small_window);
  EXPECT_EQ(in_buckets.levels[0].rows, 6 * small_window);
  EXPECT_EQ(in_buckets.levels[1].real, 199);
  EXPECT_EQ(in_buckets.levels[1].rows, 2 * small_window);
  const network gathered = small_network(cells, layer_form::library, "small_ptv3");
  for (int l = 0; l < level_count; ++l) EXPECT_EQ(by_grid.level_at(l).real, gathered.level_at(l).real) << l;
}

TEST(Ptv3Network, InBucketsNeedsBlocksWithoutPositions) {
  model m = model_of("small_ptv3");
  m.in_buckets = true;
  EXPECT_THROW(network_of_ptv3(m, grid_levels_of({0, 0, 0}, {1}, level_count), {128, 128}, layer_form::own),
               std::invalid_argument);
}

TEST(Ptv3Network, ABlockIsItsLayers) {
  const auto names = [](const ptv3_pass& pass, const std::string& block) {
    std::vector<std::string> all;
    for (const step& s : pass.steps->steps)
      if (s.name.starts_with(block + ".")) all.push_back(s.name.substr(block.size() + 1));
    return all;
  };
  EXPECT_THAT(names(one_instance(), "encoder.3.2"),
              ElementsAre("cpe.conv", "cpe.linear", "cpe.norm", "qkv", "into_windows", "attention",
                          "from_windows", "proj", "fc1", "fc2"));
  EXPECT_THAT(names(one_instance(layer_form::own), "encoder.3.2"),
              ElementsAre("cpe.conv", "cpe.linear", "cpe.norm", "qkv", "into_windows", "attention",
                          "from_windows", "proj", "mlp"));
}

TEST(Ptv3Network, AJoinedBlockMovesRowsWhereItNormsAndAddsThem) {
  const auto names = [](const network& n, const std::string& block) {
    std::vector<std::string> all;
    for (const step& s : n.steps)
      if (s.name.starts_with(block + ".")) all.push_back(s.name.substr(block.size() + 1));
    return all;
  };
  EXPECT_THAT(names(*one_instance(layer_form::joined).steps, "encoder.3.2"),
              ElementsAre("cpe.conv", "cpe.linear", "enter_windows", "qkv", "attention", "proj",
                          "leave_windows", "mlp"));
  model wide = model_of("small_ptv3");
  wide.encoder[4].channels = 256;
  const std::vector<cell> cells = drawn_cells(397, "one");
  const network n = network_of_ptv3(
      wide, grid_levels_of(flat_cells({cells}), {static_cast<std::uint32_t>(cells.size())}, level_count),
      {.bucket = 128, .window = small_window}, layer_form::joined);
  EXPECT_THAT(names(n, "encoder.4.0"), ElementsAre("cpe.conv", "cpe.linear", "enter_windows", "qkv",
                                                   "attention", "proj", "leave_windows", "fc1", "fc2"));
  EXPECT_THAT(overlaps(n.tensors), IsEmpty());
  for (const step& s : n.steps) {
    if (s.kind == step_kind::convolve && !s.is_stem) {
      EXPECT_EQ(s.scratch, n.cleared);
      EXPECT_EQ(s.scratch_from, 0);
    }
    // Lists follow the sums of the largest convolution.
    if (s.kind == step_kind::attention) {
      EXPECT_GE(s.scratch_from, 4 * n.points() * 32);
    }
  }
}

/// Of one instance and of three, with rows that two windows take.
TEST(Ptv3Reference, JoinedStepsAreTheSamePass) {
  ptv3_pass library = three_instances(), one = one_instance();
  for (const layer_form form : {layer_form::joined, layer_form::joined_on_mma}) {
    ptv3_pass joined = three_instances(form), joined_one = one_instance(form);
    ASSERT_TRUE(joined.steps->joins());
    EXPECT_LT(distance(joined.output(), library.output()), 1e-12);
    EXPECT_LT(distance(joined_one.output(), one.output()), 1e-12);
  }
}

TEST(Ptv3Network, BlocksTakeTheCurvesInTurn) {
  const ptv3_pass pass = one_instance();
  std::vector<int> curves;
  for (const step& s : pass.steps->steps)
    if (s.kind == step_kind::into_windows && s.name.starts_with("encoder.3.")) curves.push_back(s.curve);
  EXPECT_THAT(curves, ElementsAre(0, 1, 2, 3));
}

TEST(Ptv3Network, TheMapOfALevelIsMadeOnce) {
  const ptv3_pass pass = one_instance();
  EXPECT_EQ(std::ranges::count(pass.steps->steps, step_kind::map, &step::kind), level_count + 1);
  EXPECT_EQ(std::ranges::count(pass.steps->steps, step_kind::convolve, &step::kind),
            model_of("small_ptv3").blocks() + 1);
}

TEST(Ptv3Network, TheArenaIsLittleMoreThanWhatLives) {
  for (const layer_form form : {layer_form::library, layer_form::own, layer_form::joined}) {
    const ptv3_pass pass = three_instances(form);
    EXPECT_GE(pass.steps->arena_bytes, max_live_bytes(pass.steps->tensors));
    EXPECT_LE(static_cast<double>(pass.steps->arena_bytes),
              1.1 * static_cast<double>(max_live_bytes(pass.steps->tensors)));
    EXPECT_THAT(overlaps(pass.steps->tensors), IsEmpty());
  }
}

// The naive pass: rows by cell, everything else by definition.

using values = std::vector<std::vector<double>>;  // [rows][channels]

class naive_pass {
 public:
  explicit naive_pass(const ptv3_pass& pass) : pass_(pass), layers_(layers_of(pass.steps->of)) {
    std::vector<cell> level = pass.instances.at(0);
    for (int l = 0; l < level_count; ++l) {
      rows_.push_back(level);
      std::map<std::uint64_t, cell> next;  // by z code
      for (const cell& c : level) {
        const cell half = {c[0] / 2, c[1] / 2, c[2] / 2};
        next[code(serialize::curve::z, half, l + 1)] = half;
      }
      level.clear();
      for (const auto& [of, c] : next) level.push_back(c);
    }
  }

  values run() const {
    values x;
    for (std::size_t i = 0; i < rows_[0].size(); ++i) {
      x.emplace_back();
      for (std::size_t c = 0; c < 4; ++c)
        x.back().push_back(static_cast<double>(float_of_bf16(pass_.x[4 * i + c])));
    }
    x = gelu(batch_norm(convolution(x, 0, "stem.conv", 2), "stem.norm"));
    std::vector<values> skipped;
    for (int l = 0; l < level_count; ++l) {
      x = blocks(x, l, "encoder." + std::to_string(l), model_of("small_ptv3").encoder.at(at(l)));
      skipped.push_back(x);
      if (l + 1 == level_count) break;
      const std::string name = "down." + std::to_string(l);
      x = gelu(batch_norm(greatest(linear(x, name + ".linear"), l), name + ".norm"));
    }
    for (int l = level_count - 2; l >= 0; --l) {
      const std::string name = "up." + std::to_string(l);
      const values down = gelu(linear(x, name + ".down")),
                   skip = gelu(linear(skipped[at(l)], name + ".skip"));
      x = skip;
      for (std::size_t i = 0; i < x.size(); ++i)
        for (std::size_t c = 0; c < x[i].size(); ++c) x[i][c] += down[parent(l, i)][c];
      x = blocks(x, l, "decoder." + std::to_string(l), model_of("small_ptv3").decoder.at(at(l)));
    }
    return x;
  }

 protected:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  std::uint64_t code(serialize::curve of, const cell& c, int l) const {
    return serialize::code_of(of, pass_.steps->depth - l,
                              {static_cast<std::uint32_t>(c[0]), static_cast<std::uint32_t>(c[1]),
                               static_cast<std::uint32_t>(c[2])});
  }
  std::size_t row_at(int l, const cell& c) const {
    return static_cast<std::size_t>(std::ranges::find(rows_[at(l)], c) - rows_[at(l)].begin());
  }
  std::size_t parent(int l, std::size_t row) const {
    const cell& c = rows_[at(l)][row];
    return row_at(l + 1, {c[0] / 2, c[1] / 2, c[2] / 2});
  }

  std::pair<layer, layer_place> known(const std::string& name) const {
    for (std::size_t i = 0; i < layers_.all.size(); ++i)
      if (layers_.all[i].name == name) return {layers_.all[i], pass_.steps->weights.of[i]};
    throw std::out_of_range(name);
  }
  double weight(const layer_place& place, std::size_t i) const {
    return static_cast<double>(
        float_of_bf16(pass_.weights.matrices[static_cast<std::size_t>(place.matrix) + i]));
  }
  double vector(const layer_place& place, std::size_t i) const {
    return static_cast<double>(pass_.weights.vectors[static_cast<std::size_t>(place.vectors) + i]);
  }

  static values gelu(values x) {
    for (auto& row : x)
      for (double& v : row) v = 0.5 * v * (1 + std::erf(v / std::sqrt(2.0)));
    return x;
  }
  static values sum(values x, const values& y) {
    for (std::size_t i = 0; i < x.size(); ++i)
      for (std::size_t c = 0; c < x[i].size(); ++c) x[i][c] += y[i][c];
    return x;
  }

  values linear(const values& x, const std::string& name) const {
    const auto [of, place] = known(name);
    values y;
    for (const auto& row : x) {
      y.emplace_back();
      for (std::size_t o = 0; o < at(of.outputs); ++o) {
        double z = vector(place, o);
        for (std::size_t i = 0; i < row.size(); ++i) z += row[i] * weight(place, o * row.size() + i);
        y.back().push_back(z);
      }
    }
    return y;
  }

  values convolution(const values& x, int l, const std::string& name, int reach) const {
    const auto [of, place] = known(name);
    const std::size_t in = x[0].size(), edge = at(2 * reach + 1), offsets = edge * edge * edge;
    values y;
    for (const cell& c : rows_[at(l)]) {
      y.emplace_back(at(of.outputs));
      for (std::size_t o = 0; o < y.back().size(); ++o) y.back()[o] = of.has_bias ? vector(place, o) : 0;
      std::size_t q = 0;
      for (int dx = -reach; dx <= reach; ++dx)
        for (int dy = -reach; dy <= reach; ++dy)
          for (int dz = -reach; dz <= reach; ++dz, ++q) {
            const std::size_t neighbor = row_at(l, {c[0] + dx, c[1] + dy, c[2] + dz});
            if (neighbor == rows_[at(l)].size()) continue;
            for (std::size_t o = 0; o < y.back().size(); ++o)
              for (std::size_t i = 0; i < in; ++i)
                y.back()[o] += x[neighbor][i] * weight(place, (o * offsets + q) * in + i);
          }
    }
    return y;
  }

  values layer_norm(values x, const std::string& name) const {
    const layer_place place = known(name).second;
    for (auto& row : x) {
      const auto c = static_cast<double>(row.size());
      double mean = 0, variance = 0;
      for (const double v : row) mean += v / c;
      for (const double v : row) variance += (v - mean) * (v - mean) / c;
      for (std::size_t i = 0; i < row.size(); ++i)
        row[i] =
            (row[i] - mean) / std::sqrt(variance + 1e-5) * vector(place, i) + vector(place, row.size() + i);
    }
    return x;
  }
  values batch_norm(values x, const std::string& name) const {
    const layer_place place = known(name).second;
    for (auto& row : x)
      for (std::size_t i = 0, c = row.size(); i < c; ++i)
        row[i] =
            (row[i] - vector(place, i)) / std::sqrt(vector(place, c + i) + 1e-3) * vector(place, 2 * c + i) +
            vector(place, 3 * c + i);
    return x;
  }

  values greatest(const values& x, int l) const {
    values y(rows_[at(l) + 1].size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      std::vector<double>& row = y[parent(l, i)];
      if (row.empty()) row = x[i];
      for (std::size_t c = 0; c < row.size(); ++c) row[c] = std::max(row[c], x[i][c]);
    }
    return y;
  }

  values blocks(values x, int l, const std::string& name, const stage& of) const {
    for (int i = 0; i < of.depth(); ++i) {
      const std::string block = name + "." + std::to_string(i);
      const values conv = convolution(x, l, block + ".cpe.conv", 1);
      x = sum(x, layer_norm(linear(conv, block + ".cpe.linear"), block + ".cpe.norm"));
      const values qkv = linear(layer_norm(x, block + ".norm1"), block + ".qkv");
      x = sum(x, linear(attention(qkv, l, static_cast<serialize::curve>(i % 4)), block + ".proj"));
      x = sum(x, linear(gelu(linear(layer_norm(x, block + ".norm2"), block + ".fc1")), block + ".fc2"));
    }
    return x;
  }

  /// Rows sorted by code, in windows; the last one reaches as far before its rows as it is short of.
  values attention(const values& qkv, int l, serialize::curve of) const {
    std::vector<std::pair<std::uint64_t, std::size_t>> order;
    for (std::size_t i = 0; i < rows_[at(l)].size(); ++i) order.emplace_back(code(of, rows_[at(l)][i], l), i);
    std::ranges::sort(order);
    const std::size_t c = qkv[0].size() / 3, width = 16;
    values y(qkv.size());
    for (std::size_t first = 0; first < order.size(); first += small_window) {
      std::vector<std::size_t> keys;
      for (std::size_t place = first; place < first + small_window; ++place)
        keys.push_back(order[place < order.size() ? place : place - small_window].second);
      for (std::size_t place = first; place < std::min(first + small_window, order.size()); ++place)
        for (std::size_t head = 0; head < c; head += width) attend(qkv, order[place].second, keys, head, y);
    }
    return y;
  }
  static void attend(const values& qkv, std::size_t query, const std::vector<std::size_t>& keys,
                     std::size_t head, values& y) {
    const std::size_t c = qkv[0].size() / 3, width = 16;
    std::vector<double> scores;
    double total = 0;
    for (const std::size_t key : keys) {
      double score = 0;
      for (std::size_t d = head; d < head + width; ++d) score += qkv[query][d] * qkv[key][c + d];
      scores.push_back(std::exp(score / 4));
      total += scores.back();
    }
    for (std::size_t d = head; d < head + width; ++d) {
      double mean = 0;
      for (std::size_t i = 0; i < keys.size(); ++i) mean += scores[i] / total * qkv[keys[i]][2 * c + d];
      y[query].push_back(mean);
    }
  }

  const ptv3_pass& pass_;
  layer_table layers_;
  std::vector<std::vector<cell>> rows_;
};

TEST(Ptv3Reference, IsANaivePass) {
  ptv3_pass pass = one_instance();
  std::vector<double> naive;
  for (const auto& row : naive_pass(pass).run()) naive.insert(naive.end(), row.begin(), row.end());
  const std::vector<double> exact = pass.output();
  ASSERT_EQ(exact.size(), naive.size());
  EXPECT_LT(distance(exact, naive), 1e-9);
}

/// Rows in the order that the index has, padded with zeros; windows follow each other; clusters as the index
/// has them; the model takes their maximum or mean.
class naive_bucket_pass : naive_pass {
 public:
  explicit naive_bucket_pass(const ptv3_pass& pass, const problem& p)
      : naive_pass(pass), n_(*pass.steps), p_(p) {
    const std::vector<cell> given = rows_[0];
    for (std::size_t i = 0; i < given.size(); ++i) rows_[0][i] = given[source(i)];
  }

  values run() const {
    values x;
    for (std::size_t i = 0; i < rows_[0].size(); ++i) {
      x.emplace_back();
      for (std::size_t c = 0; c < 4; ++c)
        x.back().push_back(static_cast<double>(float_of_bf16(pass_.x[4 * source(i) + c])));
    }
    x = padded(gelu(batch_norm(convolution(x, 0, "stem.conv", 2), "stem.norm")), 0);
    std::vector<values> skipped;
    for (int l = 0; l < level_count; ++l) {
      x = blocks(x, "encoder." + std::to_string(l), n_.of.encoder.at(at(l)));
      skipped.push_back(x);
      if (l + 1 == level_count) break;
      const std::string name = "down." + std::to_string(l);
      x = padded(gelu(batch_norm(pooled(linear(x, name + ".linear"), l), name + ".norm")), l + 1);
    }
    for (int l = level_count - 2; l >= 0; --l) {
      const std::string name = "up." + std::to_string(l);
      const values down = gelu(linear(x, name + ".down"));
      x = gelu(linear(skipped[at(l)], name + ".skip"));
      x.resize(at(static_cast<int>(n_.level_at(l).real)));
      for (std::size_t i = 0; i < x.size(); ++i)
        for (std::size_t c = 0; c < x[i].size(); ++c) x[i][c] += down[cluster(l, i)][c];
      x = blocks(padded(x, l), "decoder." + std::to_string(l), n_.of.decoder.at(at(l)));
    }
    values out(rows_[0].size());
    for (std::size_t i = 0; i < out.size(); ++i) out[source(i)] = x[i];
    return out;
  }

 private:
  std::size_t source(std::size_t row) const { return source_of(p_, n_)[row]; }
  std::size_t cluster(int l, std::size_t row) const {
    return in_index<std::uint32_t>(p_, n_.index.of[at(l)].cluster)[row];
  }
  values padded(values x, int l) const {
    x.resize(static_cast<std::size_t>(n_.level_at(l).rows), std::vector<double>(x[0].size()));
    return x;
  }

  values pooled(const values& x, int l) const {
    const bool selects = n_.pools_by_grid();
    values y(static_cast<std::size_t>(n_.level_at(l + 1).real));
    std::vector<double> members(y.size());
    for (std::size_t i = 0; i < static_cast<std::size_t>(n_.level_at(l).real); ++i) {
      std::vector<double>& row = y[cluster(l, i)];
      ++members[cluster(l, i)];
      if (row.empty()) row.assign(x[i].size(), selects ? -1e9 : 0);
      for (std::size_t c = 0; c < row.size(); ++c)
        row[c] = selects ? std::max(row[c], x[i][c]) : row[c] + x[i][c];
    }
    for (std::size_t j = 0; j < y.size() && !selects; ++j)
      for (double& element : y[j]) element /= members[j];
    return y;
  }

  values blocks(values x, const std::string& name, const stage& of) const {
    for (int i = 0; i < of.depth(); ++i) {
      const std::string block = name + "." + std::to_string(i);
      const values qkv = linear(layer_norm(x, block + ".norm1"), block + ".qkv");
      values attended(qkv.size());
      std::vector<std::size_t> keys(small_window);
      for (std::size_t row = 0; row < qkv.size(); ++row) {
        for (std::size_t k = 0; k < keys.size(); ++k) keys[k] = row / small_window * small_window + k;
        for (std::size_t head = 0; head < qkv[0].size() / 3; head += 16)
          attend(qkv, row, keys, head, attended);
      }
      x = sum(x, linear(attended, block + ".proj"));
      x = sum(x, linear(gelu(linear(layer_norm(x, block + ".norm2"), block + ".fc1")), block + ".fc2"));
    }
    return x;
  }

  const network& n_;
  const problem p_;
};

TEST(Ptv3Reference, InBucketsIsANaivePass) {
  for (const char* name : {"small_in_buckets", "small_bucket_pools"}) {
    ptv3_pass pass({drawn_cells(397, "one")}, layer_form::library, name, {.align = alignment::window});
    const std::vector<double> exact = pass.output();
    EXPECT_EQ(violated_index(pass.on_host(), *pass.steps), "") << name;
    std::vector<double> naive;
    for (const auto& row : naive_bucket_pass(pass, pass.on_host()).run())
      naive.insert(naive.end(), row.begin(), row.end());
    ASSERT_EQ(exact.size(), naive.size());
    EXPECT_LT(distance(exact, naive), 1e-9) << name;
  }
}

/// Of rows in buckets, where padding is no key, nothing depends on how much of it there is.
TEST(Ptv3Reference, PaddingThatIsNoKeyDoesNotMatter) {
  for (const char* name : {"small_in_buckets", "small_bucket_pools"}) {
    const auto output = [&](alignment align, bool masks) {
      const window_shape shape{.align = align, .masks_padding = masks};
      return ptv3_pass({drawn_cells(397, "one")}, layer_form::library, name, shape).output();
    };
    const std::vector<double> masked = output(alignment::published, true);
    EXPECT_LT(distance(output(alignment::window, true), masked), 1e-12) << name;
    EXPECT_LT(distance(output(alignment::bucket, true), masked), 1e-12) << name;
    EXPECT_GT(distance(output(alignment::published, false), masked), 1e-3) << name;
  }
}

TEST(Ptv3Reference, InBucketsFaultsOfTheIndexAreFound) {
  for (const char* name : {"small_in_buckets", "small_bucket_pools"}) {
    ptv3_pass pass({drawn_cells(300, "a"), {}, drawn_cells(333, "b")}, layer_form::own, name);
    const network& n = *pass.steps;
    const problem p = pass.on_host();
    make_index(p, n);
    EXPECT_EQ(violated_index(p, n), "") << name;
    auto* const cells = in_index<std::int32_t>(p, n.grid_at(0).cells);
    ++cells[3 * 632];
    EXPECT_THAT(violated_index(p, n), HasSubstr("arrange: row 632 does not have the cell")) << name;
    --cells[3 * 632];
    ++cells[3 * n.pitch() - 1];
    EXPECT_THAT(violated_index(p, n), HasSubstr("arrange: row 635 does not have the cell")) << name;
    --cells[3 * n.pitch() - 1];
    auto* const cluster = in_index<std::uint32_t>(p, n.index.of[2].cluster);
    ++cluster[7];
    EXPECT_THAT(violated_index(p, n), HasSubstr("cluster.2: ")) << name;
    --cluster[7];
    if (n.pools_by_grid()) {
      in_index<float>(p, n.grid_at(0).positions)[3 * 400] += 1;
      EXPECT_THAT(violated_index(p, n), HasSubstr("arrange: row 400 does not have the position")) << name;
      continue;
    }
    std::swap(in_index<std::uint32_t>(p, n.index.source)[5], in_index<std::uint32_t>(p, n.index.source)[600]);
    EXPECT_THAT(violated_index(p, n), HasSubstr("order: row 5")) << name;
  }
}

TEST(Ptv3Reference, BothFormsAreOnePass) {
  EXPECT_LT(distance(one_instance(layer_form::own).output(), one_instance().output()), 1e-12);
}

TEST(Ptv3Reference, InstancesDoNotSeeEachOther) {
  const std::vector<double> together = three_instances().output();
  std::vector<double> apart;
  for (const char* name : {"a", "b"}) {
    ptv3_pass pass({drawn_cells(*name == 'a' ? 300 : 333, name)});
    if (*name == 'b') {
      const auto numbers = drawn(4 * 633, "features");
      for (std::size_t i = 0; i < pass.x.size(); ++i) pass.x[i] = bf16_of_float(numbers[4 * 300 + i]);
    }
    const std::vector<double> alone = pass.output();
    apart.insert(apart.end(), alone.begin(), alone.end());
  }
  EXPECT_LT(distance(together, apart), 1e-12);
}

TEST(Ptv3Reference, PermutedVoxelsPermuteOutputs) {
  ptv3_pass pass = one_instance();
  const std::vector<double> straight = pass.output();
  std::vector<cell> turned_cells = pass.instances[0];
  std::ranges::reverse(turned_cells);
  ptv3_pass turned({turned_cells});
  for (std::size_t i = 0; i < 397; ++i)
    for (std::size_t c = 0; c < 4; ++c) turned.x[4 * i + c] = pass.x[4 * (396 - i) + c];
  const std::vector<double> output = turned.output();
  std::vector<double> back;
  for (std::size_t i = 397; i-- > 0;)
    back.insert(back.end(), output.begin() + static_cast<std::ptrdiff_t>(64 * i),
                output.begin() + static_cast<std::ptrdiff_t>(64 * (i + 1)));
  EXPECT_LT(distance(back, straight), 1e-9);
}

TEST(Ptv3Reference, RoundingMovesTheOutputLittle) {
  ptv3_pass pass = three_instances();
  const std::vector<double> exact = pass.output();
  const double moved = distance(pass.output(rounding::bf16), exact);
  EXPECT_GT(moved, 1e-3);
  EXPECT_LT(moved, 3e-2);
}

class Ptv3Index : public ::testing::Test {
 protected:
  Ptv3Index() : pass_(three_instances(layer_form::own)), p_(pass_.on_host()) { make_index(p_, *pass_.steps); }
  std::string violation() { return violated_index(p_, *pass_.steps); }
  /// What is found when the number at `i` of an array is another by one.
  template <class T>
  std::string with_fault(std::int64_t place, std::int64_t i) {
    T* const at = in_index<T>(p_, place) + i;
    *at = static_cast<T>(*at + 1);
    const std::string found = violation();
    *at = static_cast<T>(*at - 1);
    return found;
  }

  ptv3_pass pass_;
  problem p_;
};

TEST_F(Ptv3Index, IsRightAndItsFaultsAreFound) {
  EXPECT_EQ(violation(), "");
  const index_places& index = pass_.steps->index;
  const index_places::of_level &first = index.of[0], &third = index.of[2];
  const std::int64_t pitch = pass_.steps->pitch(), rows = pass_.steps->level_at(2).real,
                     slots = pass_.steps->level_at(2).slots;
  EXPECT_THAT(with_fault<std::uint64_t>(first.grid.codes, 2 * pitch + 5), HasSubstr("codes: keys[2][5]"));
  EXPECT_THAT(with_fault<std::int32_t>(first.grid.inverses, pitch + 5), HasSubstr("codes: inverse[1][5]"));
  EXPECT_THAT(with_fault<std::uint32_t>(first.cluster, 5), HasSubstr("cluster.0: "));
  EXPECT_THAT(with_fault<std::int32_t>(first.count, 3), HasSubstr("as the host counts them"));
  EXPECT_THAT(with_fault<std::int32_t>(third.grid.orders, 3 * pitch),
              HasSubstr("cluster.1: order_out[3][0]"));
  EXPECT_THAT(with_fault<std::int32_t>(third.grid.row_of_slot, 4 * slots - 1),
              HasSubstr("slots.2: row_of_slot"));
  EXPECT_THAT(with_fault<std::int32_t>(third.grid.slot_of_row, 4 * rows - 1),
              HasSubstr("slots.2: slot_of_row"));
  EXPECT_THAT(with_fault<std::int32_t>(third.grid.voxels, 4 * rows - 1), HasSubstr("map.2: voxels"));
  EXPECT_THAT(with_fault<std::int32_t>(third.grid.map.table, 14 * rows - 1), HasSubstr("map.2: table"));
  EXPECT_THAT(with_fault<std::int32_t>(third.grid.map.in_rows, 0), HasSubstr("is no pair of it"));
  EXPECT_THAT(with_fault<std::int64_t>(third.grid.map.ends, 27), HasSubstr("map.2: ends[27]"));
  EXPECT_THAT(with_fault<std::int32_t>(third.grid.map.status, 0), HasSubstr("map.2: status 1"));
  EXPECT_THAT(with_fault<std::int32_t>(third.grid.map.tiles, 2), HasSubstr("map.2: piece 0"));
  EXPECT_THAT(with_fault<std::int32_t>(index.stem.table, 0), HasSubstr("stem.map: table"));
  EXPECT_EQ(violation(), "");
}

TEST_F(Ptv3Index, APairTwiceIsFound) {
  const map_places& map = pass_.steps->grid_at(0).map;
  auto *const in = in_index<std::int32_t>(p_, map.in_rows), *const out =
                                                                in_index<std::int32_t>(p_, map.out_rows);
  const std::int64_t middle = in_index<std::int64_t>(p_, map.ends)[13];
  in[middle + 1] = in[middle];
  out[middle + 1] = out[middle];
  EXPECT_THAT(violation(), HasSubstr("map.0: list 13"));
}

TEST_F(Ptv3Index, MasksCountWhereNoListsAre) {
  ptv3_pass pass = three_instances();
  const problem p = pass.on_host();
  make_index(p, *pass.steps);
  const std::int64_t rows = pass.steps->level_at(1).real;
  in_index<std::uint32_t>(p, pass.steps->grid_at(1).map.table)[27 * rows] ^= 1u << 13;
  EXPECT_THAT(violated_index(p, *pass.steps), HasSubstr("map.1: masks[0]"));
}

}  // namespace
}  // namespace ablate::backbone
