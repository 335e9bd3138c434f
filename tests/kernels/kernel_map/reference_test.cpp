// The oracle against every pair of rows tried one by one, on small scenes of all kinds; and what holds of
// every kernel map.
#include <gtest/gtest.h>

#include <numeric>
#include <unordered_map>

#include "tests/kernels/kernel_map/host_map.h"

namespace ablate::kernel_map::reference_test {
namespace {

using test_support::host_map;
using test_support::kernels;
using test_support::name_of;
using test_support::random_rows;
using test_support::rows;
using test_support::shape;

constexpr int lowest = -131072, highest = 131071;

/// Packed by arithmetic: the oracle and the variants share no line with it.
std::uint64_t key_of(const std::array<std::int32_t, 4>& row) {
  std::uint64_t key = static_cast<std::uint64_t>(row[0]);
  for (int axis = 1; axis <= 3; ++axis) key = key * 262144 + static_cast<std::uint64_t>(row[axis] - lowest);
  return key;
}

int wrapped(int coordinate) {
  if (coordinate < lowest) return coordinate + 262144;
  return coordinate > highest ? coordinate - 262144 : coordinate;
}

std::vector<std::tuple<int, std::int32_t, std::int32_t>> by_trying_all(const problem& p, const rows& in,
                                                                       const rows& out) {
  std::unordered_map<std::uint64_t, std::int32_t> found;
  for (std::size_t i = 0; i < in.size(); ++i) found[key_of(in[i])] = static_cast<std::int32_t>(i);
  std::vector<std::tuple<int, std::int32_t, std::int32_t>> triples;
  int q = 0;
  for (int ix = 0; ix < p.kernel[0]; ++ix)
    for (int iy = 0; iy < p.kernel[1]; ++iy)
      for (int iz = 0; iz < p.kernel[2]; ++iz, ++q)
        for (std::size_t j = 0; j < out.size(); ++j) {
          const int index[] = {ix, iy, iz};
          std::array<std::int32_t, 4> wanted = {out[j][0]};
          bool is_row = true;
          for (int axis = 0; axis < 3; ++axis) {
            const int k = p.kernel[axis], center = k % 2 == 1 ? k / 2 : 0;
            const int at = p.stride[axis] * out[j][axis + 1] + (index[axis] - center) * p.dilation[axis];
            is_row = is_row && (!p.guards || (at >= lowest && at <= highest));
            wanted[axis + 1] = p.guards ? at : wrapped(at);
          }
          if (const auto i = is_row ? found.find(key_of(wanted)) : found.end(); i != found.end())
            triples.emplace_back(q, i->second, static_cast<std::int32_t>(j));
        }
  std::sort(triples.begin(), triples.end());
  return triples;
}

void expect_right(const problem& of, const rows& in, const rows& out) {
  const host_map map(of, in, out);
  const auto expected = by_trying_all(of, in, out);
  ASSERT_EQ(map.triples(), expected);
  EXPECT_EQ(map.status, map_ok);
  std::vector<std::uint64_t> digest(of.offsets());
  for (const auto& [q, i, j] : expected)
    digest[q] += mixed(static_cast<std::uint64_t>(i) << 32 | static_cast<std::uint64_t>(j));
  EXPECT_EQ(map.digest, digest);
  EXPECT_EQ(map.in_rows.back(), -7);
  EXPECT_EQ(map.out_rows.back(), -7);
}

void expect_right(const problem& of, const rows& all) { expect_right(of, all, all); }

rows shifted(rows all, const std::array<int, 3>& by) {
  for (auto& row : all)
    for (int axis = 0; axis < 3; ++axis) row[axis + 1] += by[axis];
  return all;
}

int halved(int coordinate) { return coordinate >= 0 ? coordinate / 2 : -((1 - coordinate) / 2); }

rows halves_of(const rows& all) {
  rows cells;
  for (const auto& row : all) {
    const std::array cell = {row[0], halved(row[1]), halved(row[2]), halved(row[3])};
    if (std::find(cells.begin(), cells.end(), cell) == cells.end()) cells.push_back(cell);
  }
  return cells;
}

/// Blocks at the eight corners of the range.
rows at_the_faces(int edge, const std::vector<std::int32_t>& batches) {
  rows all;
  for (const std::int32_t batch : batches)
    for (int corner = 0; corner < 8; ++corner)
      for (int cell = 0; cell < edge * edge * edge; ++cell) {
        const int depth[] = {cell / edge / edge, cell / edge % edge, cell % edge};
        std::array<std::int32_t, 4> row = {batch};
        for (int axis = 0; axis < 3; ++axis)
          row[axis + 1] = (corner >> axis & 1) != 0 ? highest - depth[axis] : lowest + depth[axis];
        all.push_back(row);
      }
  return all;
}

TEST(KernelMapReference, IsRightForEveryKernel) {
  const rows dense = random_rows(250, 8, {-4, -4, -4}, 1);
  const rows sparse = random_rows(400, 40, {-20, -20, -20}, 2);
  for (const auto& kernel : kernels)
    for (const int stride : {1, 2})
      for (const int dilation : {1, 2}) {
        SCOPED_TRACE(name_of(kernel) + ", stride " + std::to_string(stride) + ", dilation " +
                     std::to_string(dilation));
        for (const rows* in : {&dense, &sparse}) {
          const rows out = stride == 1 ? *in : halves_of(*in);
          expect_right(shape(kernel, true, stride, dilation), *in, out);
        }
      }
}

TEST(KernelMapReference, IsRightWhereverTheRowsLie) {
  const rows all = random_rows(120, 7, {-3, -3, -3}, 3);
  for (int x = 0; x < 4; ++x)
    for (int y = 0; y < 4; ++y)
      for (int z = 0; z < 4; ++z)
        for (const auto& kernel : {kernels[1], kernels[2], kernels[6], kernels[7]}) {
          const rows moved = shifted(all, {x, y, z});
          expect_right(shape(kernel), moved);
          expect_right(shape(kernel, true, 2), moved, halves_of(moved));
        }
  for (const int far : {-8, -4000, 4000, 131000, -131000})
    expect_right(shape({3, 5, 3}), shifted(all, {far, far, far}));
}

TEST(KernelMapReference, EndsAtTheFacesOrComesRound) {
  const rows all = at_the_faces(3, {0, 511});
  for (const auto& kernel : kernels)
    for (const int dilation : {1, 2}) {
      SCOPED_TRACE(name_of(kernel));
      for (const bool guards : {true, false}) {
        expect_right(shape(kernel, guards, 1, dilation), all);
        expect_right(shape(kernel, guards, 2, dilation), all, halves_of(all));
      }
    }
  const host_map guarded(shape({3, 3, 3}), all), wrapping(shape({3, 3, 3}, false), all);
  EXPECT_EQ(guarded.ends.back(), 2 * 8 * 7 * 7 * 7);  // (3 · 3 − 2)³ pairs in each block
  EXPECT_EQ(wrapping.ends.back(), 2 * 16 * 16 * 16);  // one block of 6³ in each batch
}

TEST(KernelMapReference, KeepsBatchesApart) {
  rows all;
  for (const std::int32_t batch : {0, 1, 510, 511})
    for (const auto& row : random_rows(60, 5, {-2, -2, -2}, 4))
      all.push_back({batch, row[1], row[2], row[3]});
  for (const bool guards : {true, false}) {
    const host_map map(shape({5, 5, 5}, guards), all);
    for (const auto& [q, i, j] : map.triples()) ASSERT_EQ(all[i][0], all[j][0]);
    expect_right(shape({5, 5, 5}, guards), all);
  }
}

TEST(KernelMapReference, IsRightWithoutRowsAndForOne) {
  const rows none, one = {{3, -5, 7, -9}};
  for (const auto& kernel : kernels) {
    const host_map empty(shape(kernel), none);
    EXPECT_EQ(empty.ends, std::vector<std::int64_t>(empty.p.offsets() + 1, 0));
    EXPECT_EQ(empty.digest, std::vector<std::uint64_t>(empty.p.offsets(), 0));
    EXPECT_EQ(empty.status, map_ok);
    expect_right(shape(kernel), one);
    EXPECT_EQ(host_map(shape(kernel), one).ends.back(), 1);
    EXPECT_EQ(host_map(shape(kernel), none, one).ends.back(), 0);
    EXPECT_EQ(host_map(shape(kernel), one, none).ends.back(), 0);
  }
}

TEST(KernelMapReference, TakesOutRowsThatRepeatOrLieElsewhere) {
  const rows in = random_rows(200, 8, {0, 0, 0}, 5);
  rows out = random_rows(100, 12, {-2, -2, -2}, 6);
  out.insert(out.end(), out.begin(), out.begin() + 50);
  for (const auto& kernel : kernels) expect_right(shape(kernel), in, out);
}

TEST(KernelMapReference, StoresNothingBeyondTheCapacity) {
  const rows all = random_rows(200, 7, {0, 0, 0}, 7);
  const host_map whole(shape({3, 3, 3}), all);
  problem small = shape({3, 3, 3});
  small.capacity = whole.ends.back() / 2;
  const host_map half(small, all);
  EXPECT_EQ(half.status, map_overflow);
  EXPECT_EQ(half.ends, whole.ends);
  EXPECT_EQ(half.digest, whole.digest);
  EXPECT_EQ(half.in_rows.back(), -7);
  for (std::size_t i = 0; i + 1 < half.in_rows.size(); ++i) ASSERT_EQ(half.in_rows[i], whole.in_rows[i]);
  small.capacity = whole.ends.back();
  EXPECT_EQ(host_map(small, all).status, map_ok);
}

TEST(KernelMapReference, LeavesTheUpperHalfEmptyWhereItIsNotWanted) {
  const rows all = random_rows(300, 8, {-4, -4, -4}, 12);
  for (const auto& kernel : kernels) {
    const host_map whole(shape(kernel), all);
    problem first = shape(kernel);
    first.first_half = true;
    const host_map half(first, all);
    const int middle = first.offsets() / 2;
    EXPECT_EQ(half.p.lists(), middle);
    for (int q = 0; q < first.offsets(); ++q) {
      ASSERT_EQ(half.pairs_of(q), q < middle ? whole.pairs_of(q) : 0);
      ASSERT_EQ(half.digest[q], q < middle ? whole.digest[q] : 0);
    }
    auto expected = whole.triples();
    std::erase_if(expected, [&](const auto& triple) { return std::get<0>(triple) >= middle; });
    EXPECT_EQ(half.triples(), expected);
    EXPECT_EQ(half.status, map_ok);
  }
}

TEST(KernelMapReference, DigestsOfMasksLeaveOutTheInRow) {
  const rows all = random_rows(200, 7, {-3, -3, -3}, 13);
  for (const auto& kernel : kernels) {
    const host_map lists(shape(kernel), all);
    std::vector<std::uint64_t> digest(lists.p.offsets());
    for (const auto& [q, i, j] : lists.triples())
      digest[q] += mixed(std::uint64_t{0xffffffff} << 32 | static_cast<std::uint64_t>(j));
    problem masks = shape(kernel);
    masks.wanted = output::masks;
    masks.capacity = 1;  // of lists, which nobody wants
    const host_map masked(masks, all);
    digest.insert(digest.end(), lists.digest.begin(), lists.digest.end());  // of the table in front
    EXPECT_EQ(masked.ends, lists.ends);
    EXPECT_EQ(masked.digest, digest);
    EXPECT_EQ(masked.status, map_ok);
    problem other = masks;
    other.wanted = output::dense;
    EXPECT_EQ(host_map(other, all).digest, lists.digest);
    other.wanted = output::reverse;
    std::copy(lists.digest.begin(), lists.digest.end(), digest.begin());
    EXPECT_EQ(host_map(other, all).digest, digest);
  }
}

TEST(KernelMapReference, TablesHaveTheseSizes) {
  problem p = shape({3, 3, 5});
  p.rows = 100, p.outs = 30;
  EXPECT_EQ(p.mask_words(), 2);
  EXPECT_EQ(p.table_words(), 0);
  p.wanted = output::dense;
  EXPECT_EQ(p.table_words(), 45 * 30);
  p.wanted = output::masks;
  EXPECT_EQ(p.table_words(), 45 * 30 + 2 * 30);
  p.wanted = output::reverse;
  EXPECT_EQ(p.table_words(), 45 * 30 + 45 * 100);
  p.rows = p.outs = 3000000, p.kernel = {11, 11, 11};
  EXPECT_EQ(p.table_words(), 2 * std::int64_t{1331} * 3000000);
}

TEST(KernelMapReference, ListsAreSymmetricWhereRowsMeetThemselves) {
  const rows all = random_rows(500, 12, {-6, -6, -6}, 8, {0, 7});
  for (const auto& kernel : kernels) {
    if (kernel[0] % 2 == 0) continue;
    const host_map map(shape(kernel), all);
    const int offsets = map.p.offsets();
    std::vector<std::tuple<int, std::int32_t, std::int32_t>> mirrored;
    for (const auto& [q, i, j] : map.triples()) {
      mirrored.emplace_back(offsets - 1 - q, j, i);
      if (q == offsets / 2) {
        ASSERT_EQ(i, j);
      }
    }
    EXPECT_EQ(map.pairs_of(offsets / 2), map.p.outs);
    for (int q = 0; q < offsets; ++q) ASSERT_EQ(map.pairs_of(q), map.pairs_of(offsets - 1 - q));
    std::sort(mirrored.begin(), mirrored.end());
    EXPECT_EQ(mirrored, map.triples());
  }
}

TEST(KernelMapReference, HasEachRowOnceInAList) {
  const rows all = random_rows(500, 10, {-5, -5, -5}, 9);
  for (const auto& kernel : kernels) {
    const host_map map(shape(kernel, true, 1, 2), all);
    for (int q = 0; q < map.p.offsets(); ++q) {
      std::set<std::int32_t> in, out;
      for (std::int64_t i = map.ends[q]; i < map.ends[q + 1]; ++i) {
        ASSERT_TRUE(in.insert(map.in_rows[i]).second);
        ASSERT_TRUE(out.insert(map.out_rows[i]).second);
      }
    }
  }
}

TEST(KernelMapReference, MovesWithTheRowsAndTheirBatches) {
  const rows all = random_rows(300, 9, {-4, -4, -4}, 10, {2, 3});
  for (const auto& kernel : kernels) {
    const auto digest = host_map(shape(kernel), all).digest;
    for (const auto& by : {std::array{1, 2, 3}, {-64, 0, 5}, {100000, -100000, 7}})
      EXPECT_EQ(host_map(shape(kernel), shifted(all, by)).digest, digest);
    rows other_batches = all;
    for (auto& row : other_batches) row[0] = row[0] == 2 ? 511 : 0;
    EXPECT_EQ(host_map(shape(kernel), other_batches).digest, digest);
  }
}

TEST(KernelMapReference, FollowsThePermutationOfItsRows) {
  const rows all = random_rows(300, 9, {-4, -4, -4}, 11);
  std::vector<std::int32_t> place(all.size());  // 101 and 300 have no common divisor
  rows permuted(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    place[i] = static_cast<std::int32_t>(101 * i % all.size());
    permuted[place[i]] = all[i];
  }
  std::vector<std::tuple<int, std::int32_t, std::int32_t>> expected;
  for (const auto& [q, i, j] : host_map(shape({5, 5, 5}), all).triples())
    expected.emplace_back(q, place[i], place[j]);
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(host_map(shape({5, 5, 5}), permuted).triples(), expected);
}

TEST(KernelMapReference, KnowsItsOffsets) {
  const problem odd = shape({3, 5, 7}, true, 1, 2);
  EXPECT_EQ(offset_of(odd, 0), (std::array{-2, -4, -6}));
  EXPECT_EQ(offset_of(odd, odd.offsets() / 2), (std::array{0, 0, 0}));
  EXPECT_EQ(offset_of(odd, odd.offsets() - 1), (std::array{2, 4, 6}));
  EXPECT_EQ(offset_of(odd, 36), (std::array{0, -4, -4}));
  const problem even = shape({2, 4, 1});
  EXPECT_EQ(offset_of(even, 0), (std::array{0, 0, 0}));
  EXPECT_EQ(offset_of(even, 7), (std::array{1, 3, 0}));
}

TEST(KernelMapReference, MixesAsSplitMixDoes) {
  EXPECT_EQ(mixed(0), 0u);
  EXPECT_EQ(mixed(0x8000000000000000), 0x25C26EA579CEA98Au);
  EXPECT_EQ(mixed(0x8000001000080003), 0x5D1D81E058D9CDF5u);
}

}  // namespace
}  // namespace ablate::kernel_map::reference_test
