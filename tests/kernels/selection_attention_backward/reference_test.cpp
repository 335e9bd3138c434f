// The fp64 oracle of the gradients of attention to selected blocks: finite differences of the loss whose
// gradients they are, and what must hold of them; and how rows are cut.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <vector>

#include "harness/inputs/random.h"
#include "oracles/common/generated_element.h"
#include "oracles/selection_attention_backward/reference.h"

namespace ablate::selection_attention_backward {
namespace {

using window_attention::tensor;

/// One head, its numbers in memory.
struct made {
  std::map<tensor, std::vector<row>> of;
  std::vector<std::vector<std::int32_t>> lists;
  int block;
  std::vector<std::array<double, 2>> gates;  ///< a token; of none, not gated
  std::vector<row> compressed;               ///< a block

  made(std::int64_t tokens, int block, int selected) : block(block) {
    random_stream random(7, "head");
    for (const tensor t : {tensor::q, tensor::k, tensor::v, tensor::out_gradient}) {
      of[t].resize(static_cast<std::size_t>(tokens));
      for (row& values : of[t])
        for (double& x : values) x = random.normal();
    }
    const auto blocks = static_cast<std::uint32_t>(tokens / block);
    lists.resize(blocks);
    for (auto& list : lists)
      while (static_cast<int>(list.size()) < selected)
        if (const auto entry = static_cast<std::int32_t>(random.below(blocks));
            std::ranges::find(list, entry) == list.end())
          list.push_back(entry);
  }

  void gate() {
    random_stream random(8, "gates");
    gates.resize(of[tensor::q].size());
    for (auto& both : gates) both = {random.uniform(), random.uniform()};
    compressed.resize(lists.size());
    for (row& values : compressed)
      for (double& x : values) x = random.normal();
  }

  head_values head() const {
    head_values head{
        .tokens = static_cast<std::int64_t>(of.at(tensor::q).size()),
        .block = block,
        .selected = static_cast<int>(lists[0].size()),
        .values = [this](tensor t, std::int64_t token) { return of.at(t)[static_cast<std::size_t>(token)]; },
        .entry =
            [this](std::int64_t query_block, int slot) {
              return lists[static_cast<std::size_t>(query_block)][static_cast<std::size_t>(slot)];
            }};
    if (gates.empty()) return head;
    head.gate = [this](std::int64_t token, int which) {
      return gates[static_cast<std::size_t>(token)][static_cast<std::size_t>(which)];
    };
    head.compressed = [this](std::int64_t query_block) {
      return compressed[static_cast<std::size_t>(query_block)];
    };
    return head;
  }
  row& at(tensor t, std::int64_t token) { return of[t][static_cast<std::size_t>(token)]; }

  key_gradients keys(std::int64_t key_block) const {
    return exact_key_gradients(head(), key_block, query_blocks_of(head(), key_block));
  }
};

double product(const row& a, const row& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); }

/// Σ dO∘O over the queries of these blocks, by the definition of O; gated, if it is.
double loss(const made& m, const std::vector<std::int64_t>& query_blocks) {
  double sum = 0;
  for (const std::int64_t query_block : query_blocks)
    for (std::int64_t i = query_block * m.block; i < (query_block + 1) * m.block; ++i) {
      double weights = 0, weighted = 0;
      for (const std::int32_t entry : m.lists[static_cast<std::size_t>(query_block)]) {
        if (entry < 0) continue;
        for (std::int64_t j = entry * std::int64_t{m.block}; j < (entry + 1) * std::int64_t{m.block}; ++j) {
          const auto at = [&](tensor t, std::int64_t token) -> const row& {
            return m.of.at(t)[static_cast<std::size_t>(token)];
          };
          const double weight = std::exp(product(at(tensor::q, i), at(tensor::k, j)) / 8);
          weights += weight;
          weighted += weight * product(at(tensor::out_gradient, i), at(tensor::v, j));
        }
      }
      const double selected = weights > 0 ? weighted / weights : 0;
      if (m.gates.empty()) {
        sum += selected;
        continue;
      }
      const auto& gates = m.gates[static_cast<std::size_t>(i)];
      sum +=
          gates[1] * selected + gates[0] * product(m.of.at(tensor::out_gradient)[static_cast<std::size_t>(i)],
                                                   m.compressed[static_cast<std::size_t>(query_block)]);
    }
  return sum;
}

double difference(made& m, double& x, const std::vector<std::int64_t>& query_blocks) {
  constexpr double step = 1e-5;
  const double before = x;
  x = before + step;
  const double above = loss(m, query_blocks);
  x = before - step;
  const double below = loss(m, query_blocks);
  x = before;
  return (above - below) / (2 * step);
}
double difference(made& m, tensor of, std::int64_t token, std::size_t d,
                  const std::vector<std::int64_t>& query_blocks) {
  return difference(m, m.at(of, token)[d], query_blocks);
}

TEST(SelectionAttentionBackwardReference, AgreesWithFiniteDifferences) {
  for (const bool is_gated : {false, true}) {
    const int block = is_gated ? 16 : 32;
    made m(512, block, 4);
    if (is_gated) m.gate();
    random_stream random(3, "places");
    for (int i = 0; i < 12; ++i) {
      const std::int64_t token = random.below(512), of_block = token / block;
      const auto d = static_cast<std::size_t>(random.below(width));
      EXPECT_NEAR(exact_query_gradient(m.head(), token).of[d], difference(m, tensor::q, token, d, {of_block}),
                  1e-8)
          << block << ", token " << token;
      const std::vector<std::int64_t> named_by = query_blocks_of(m.head(), of_block);
      const key_gradients keys = m.keys(of_block);
      const auto in_block = static_cast<std::size_t>(token % block);
      EXPECT_NEAR(keys.k[in_block].of[d], difference(m, tensor::k, token, d, named_by), 1e-8)
          << block << ", token " << token;
      EXPECT_NEAR(keys.v[in_block].of[d], difference(m, tensor::v, token, d, named_by), 1e-8)
          << block << ", token " << token;
    }
  }
}

TEST(SelectionAttentionBackwardReference, GatesAndCompressedRowsAgreeWithFiniteDifferences) {
  made m(512, 16, 4);
  m.gate();
  m.lists[7] = {-1, -1, -1, -1};
  for (const std::int64_t token : {7 * 16 + 2, 0, 300, 511}) {
    const std::int64_t block = token / 16;
    const std::array<double, 2> gates = exact_gate_gradients(m.head(), token);
    for (std::size_t which = 0; which < 2; ++which)
      EXPECT_NEAR(gates[which], difference(m, m.gates[static_cast<std::size_t>(token)][which], {block}), 1e-8)
          << token << ", gate " << which;
    const row compressed = exact_compressed_gradient(m.head(), block);
    for (std::size_t d = 0; d < width; d += 21)
      EXPECT_NEAR(compressed[d], difference(m, m.compressed[static_cast<std::size_t>(block)][d], {block}),
                  1e-8)
          << token << ", element " << d;
  }
}

TEST(SelectionAttentionBackwardReference, AGateOfOneOfTheSelectionIsNoGate) {
  made m(256, 16, 4);
  const row query = exact_query_gradient(m.head(), 33).of;
  const key_gradients keys = m.keys(m.lists[4][0]);
  m.gate();
  for (auto& both : m.gates) both[1] = 1;
  EXPECT_EQ(exact_query_gradient(m.head(), 33).of, query);
  const key_gradients gated = m.keys(m.lists[4][0]);
  for (std::size_t i = 0; i < 16; ++i) {
    EXPECT_EQ(gated.k[i].of, keys.k[i].of);
    EXPECT_EQ(gated.v[i].of, keys.v[i].of);
  }
}

TEST(SelectionAttentionBackwardReference, ValuesReceiveWhatOutputsAreGiven) {
  // Rows of P add up to 1, so all dV together are all dO of queries that have keys.
  made m(256, 16, 4);
  m.lists[5] = {-1, -1, -1, -1};
  row given{}, received{};
  for (std::int64_t token = 0; token < 256; ++token)
    for (std::size_t d = 0; d < width && token / 16 != 5; ++d)
      given[d] += m.at(tensor::out_gradient, token)[d];
  for (std::int64_t block = 0; block < 16; ++block)
    for (const graded_row& of_key : m.keys(block).v)
      for (std::size_t d = 0; d < width; ++d) received[d] += of_key.of[d];
  for (std::size_t d = 0; d < width; ++d) EXPECT_NEAR(received[d], given[d], 1e-10);
}

TEST(SelectionAttentionBackwardReference, RowsOfScoreGradientsAddUpToNothing) {
  // So keys that are all equal give no dQ, and one number added to all keys changes none.
  made m(256, 16, 4);
  const row before = exact_query_gradient(m.head(), 100).of;
  for (std::int64_t token = 0; token < 256; ++token)
    for (double& x : m.at(tensor::k, token)) x += 0.5;
  const row moved = exact_query_gradient(m.head(), 100).of;
  for (std::size_t d = 0; d < width; ++d) EXPECT_NEAR(moved[d], before[d], 1e-12);
  for (std::int64_t token = 0; token < 256; ++token) m.at(tensor::k, token) = m.at(tensor::k, 0);
  for (const double x : exact_query_gradient(m.head(), 100).of) EXPECT_NEAR(x, 0, 1e-12);
}

TEST(SelectionAttentionBackwardReference, EqualValuesGiveScoresNoGradient) {
  made m(256, 16, 4);
  for (std::int64_t token = 0; token < 256; ++token) m.at(tensor::v, token) = m.at(tensor::v, 0);
  for (const double x : exact_query_gradient(m.head(), 17).of) EXPECT_NEAR(x, 0, 1e-12);
  for (const graded_row& of_key : m.keys(m.lists[3][0]).k)
    for (const double x : of_key.of) EXPECT_NEAR(x, 0, 1e-12);
}

TEST(SelectionAttentionBackwardReference, WhatHasNoPairsHasNoGradient) {
  made m(256, 16, 4);
  m.lists[5] = {-1, 16, -7, 1 << 30};
  for (const double x : exact_query_gradient(m.head(), 5 * 16).of) EXPECT_EQ(x, 0);
  for (auto& list : m.lists)
    for (std::int32_t& entry : list)
      if (entry == 9) entry = -1;
  EXPECT_TRUE(query_blocks_of(m.head(), 9).empty());
  for (const graded_row& of_key : m.keys(9).k)
    for (const double x : of_key.of) EXPECT_EQ(x, 0);
}

TEST(SelectionAttentionBackwardReference, TheOrderOfAListChangesNothing) {
  made m(256, 16, 4);
  const row query = exact_query_gradient(m.head(), 40).of;
  const std::int32_t key_block = m.lists[2][1];
  const key_gradients keys = m.keys(key_block);
  std::ranges::reverse(m.lists[2]);
  const row query_after = exact_query_gradient(m.head(), 40).of;
  const key_gradients keys_after = m.keys(key_block);
  for (std::size_t d = 0; d < width; ++d) {
    EXPECT_NEAR(query_after[d], query[d], 1e-12);
    EXPECT_NEAR(keys_after.k[3].of[d], keys.k[3].of[d], 1e-12);
  }
}

double in_bf16(double x) {
  return window_attention::float_of_bf16(window_attention::bf16_of(static_cast<float>(x)));
}

/// P and dS of a query with what the passes round to bf16, and with nothing else: the forward pass's weights,
/// which it subtracts less than the maximum from, but not their sum; O; P and dS.
struct rounded_query {
  std::vector<std::size_t> keys;
  std::vector<double> p, ds;

  rounded_query(const made& m, std::int64_t token) {
    for (const std::int32_t entry : m.lists[static_cast<std::size_t>(token / m.block)])
      for (std::int64_t i = 0; i < m.block; ++i)
        keys.push_back(static_cast<std::size_t>(entry * std::int64_t{m.block} + i));
    const auto at = [&](tensor t, std::size_t index) -> const row& { return m.of.at(t)[index]; };
    const auto own = static_cast<std::size_t>(token);
    for (const std::size_t key : keys) p.push_back(product(at(tensor::q, own), at(tensor::k, key)) / 8);
    const double subtracted = *std::ranges::max_element(p) - 3.3;
    double sum = 0, delta = 0;
    for (double& weight : p) sum += weight = std::exp(weight - subtracted);
    const row& gradient = at(tensor::out_gradient, own);
    for (std::size_t d = 0; d < width; ++d) {
      double out = 0;
      for (std::size_t j = 0; j < p.size(); ++j) out += in_bf16(p[j]) * at(tensor::v, keys[j])[d];
      delta += gradient[d] * in_bf16(out / sum);
    }
    for (std::size_t j = 0; j < p.size(); ++j) {
      ds.push_back(in_bf16(p[j] / sum * (product(gradient, at(tensor::v, keys[j])) - delta)));
      p[j] = in_bf16(p[j] / sum);
    }
  }
};

using seen_row = std::array<float, width>;
seen_row rounded(const row& of, double factor) {
  seen_row seen;
  std::ranges::transform(of, seen.begin(), [&](double x) { return static_cast<float>(in_bf16(factor * x)); });
  return seen;
}

void add_to(row& sum, double factor, const row& from) {
  for (std::size_t d = 0; d < width; ++d) sum[d] += factor * from[d];
}

seen_row rounded_query_gradient(const made& m, std::int64_t token) {
  const rounded_query query(m, token);
  row sum{};
  for (std::size_t j = 0; j < query.keys.size(); ++j)
    add_to(sum, query.ds[j], m.of.at(tensor::k)[query.keys[j]]);
  return rounded(sum, 1.0 / 8);
}

/// dK and dV of a block's keys.
std::array<std::vector<seen_row>, 2> rounded_key_gradients(const made& m, std::int64_t key_block) {
  const std::size_t block = static_cast<std::size_t>(m.block),
                    first = static_cast<std::size_t>(key_block) * block;
  std::vector<row> k(block), v(block);
  for (const std::int64_t query_block : query_blocks_of(m.head(), key_block))
    for (std::int64_t token = query_block * m.block; token < (query_block + 1) * m.block; ++token) {
      const rounded_query query(m, token);
      const auto own = static_cast<std::size_t>(token);
      for (std::size_t j = 0; j < query.keys.size(); ++j) {
        if (query.keys[j] / block * block != first) continue;
        add_to(k[query.keys[j] - first], query.ds[j], m.of.at(tensor::q)[own]);
        add_to(v[query.keys[j] - first], query.p[j], m.of.at(tensor::out_gradient)[own]);
      }
    }
  std::array<std::vector<seen_row>, 2> seen;
  for (std::size_t i = 0; i < block; ++i) {
    seen[0].push_back(rounded(k[i], 1.0 / 8));
    seen[1].push_back(rounded(v[i], 1));
  }
  return seen;
}

/// A head whose scores have this standard deviation times that of Q and K; all of it in bf16.
made with_spread(double spread) {
  made m(1024, 16, 32);
  for (auto& [of, rows] : m.of)
    for (row& values : rows)
      for (double& x : values) x = in_bf16(of == tensor::q || of == tensor::k ? spread * x : x);
  return m;
}

/// The sign of a row's greatest element turned.
seen_row with_a_fault(seen_row seen) {
  float& greatest = *std::ranges::max_element(seen, {}, [](float x) { return std::abs(x); });
  greatest = -greatest;
  return seen;
}

// With scores of 100 and more, what bf16 loses is more than a hundredth of many a row, and within the scale
// of each; and one element that is wrong is found nonetheless.
TEST(SelectionAttentionBackwardReference, TheScaleOfARowHasRoomForWhatBf16LosesAndForNoMore) {
  for (const double spread : {1.0, 5.0}) {
    const made m = with_spread(spread);
    int beyond_the_row = 0, planted = 0;
    for (std::int64_t token = 0; token < 1024; token += 8) {
      const graded_row exact = exact_query_gradient(m.head(), token);
      const seen_row seen = rounded_query_gradient(m, token);
      const double norm = std::sqrt(product(exact.of, exact.of));
      beyond_the_row += error_of({exact.of, norm}, seen.data()) > accepted_row_error;
      ASSERT_LE(error_of(exact, seen.data()), accepted_row_error) << spread << ", token " << token;
      // Rows of queries whose one key has all of the weight are nothing but what is lost.
      if (norm < 0.2) continue;
      ++planted;
      EXPECT_GT(error_of(exact, with_a_fault(seen).data()), accepted_row_error)
          << spread << ", token " << token;
    }
    if (spread > 1) {
      EXPECT_GE(beyond_the_row, 16);
    }
    EXPECT_GE(planted, 48) << spread;
  }
}

TEST(SelectionAttentionBackwardReference, TheScaleOfAKeysRowsHasRoomForWhatBf16Loses) {
  for (const double spread : {1.0, 5.0}) {
    const made m = with_spread(spread);
    int planted = 0, found = 0;
    for (const std::int64_t block : {0, 31, 63}) {
      const key_gradients exact = m.keys(block);
      const auto seen = rounded_key_gradients(m, block);
      for (std::size_t i = 0; i < 16; ++i) {
        ASSERT_LE(error_of(exact.k[i], seen[0][i].data()), accepted_row_error) << spread << ", key " << i;
        ASSERT_LE(error_of(exact.v[i], seen[1][i].data()), accepted_row_error) << spread << ", key " << i;
        EXPECT_GT(error_of(exact.v[i], with_a_fault(seen[1][i]).data()), accepted_row_error) << i;
        if (product(exact.k[i].of, exact.k[i].of) < 0.2) continue;
        ++planted;
        found += error_of(exact.k[i], with_a_fault(seen[0][i]).data()) > accepted_row_error;
      }
    }
    // What is lost of many queries has no direction that would be known.
    EXPECT_GE(planted, 24) << spread;
    EXPECT_GE(found, planted * 9 / 10) << spread;
  }
}

// Whatever a row's length, its pieces are its entries in order, none too short or too long; and a problem has
// room for all pieces of all rows.
TEST(RowCut, PiecesOfARowAreItsEntries) {
  for (const int least : {1, 16, 128}) {
    const row_cut cut{least};
    for (std::int64_t entries = 0; entries < 2000; ++entries) {
      const std::int64_t pieces = cut.pieces(entries);
      EXPECT_EQ(pieces == 0, entries < 2 * least);
      EXPECT_LE(pieces * least, entries);
      std::int64_t end = 0;
      for (std::int64_t piece = 0; piece < pieces; ++piece) {
        EXPECT_EQ(row_cut::begin(entries, pieces, piece), end);
        const std::int64_t begin = end;
        end = row_cut::begin(entries, pieces, piece + 1);
        ASSERT_GE(end - begin, least) << entries;
        ASSERT_LE(end - begin, 2 * least) << entries;
      }
      if (pieces > 0) {
        ASSERT_EQ(end, entries);
      }
    }
  }
  EXPECT_EQ(row_cut{0}.pieces(1 << 20), 0);
}

checked_problem of_images(std::int64_t images, int block, int selected) {
  checked_problem p;
  p.attention.tokens = 1008 * images;
  p.attention.heads = 16;
  p.attention.block = block;
  p.attention.selected = selected;
  return p;
}

TEST(RowCut, APieceHasAsManyPairsOfTilesWhateverTheBlock) {
  EXPECT_EQ(cut_of(of_images(8, 16, 32)).least, 128);
  EXPECT_EQ(cut_of(of_images(8, 32, 32)).least, 64);
  EXPECT_EQ(cut_of(of_images(8, 128, 4)).least, 16);
}

TEST(SelectionAttentionBackward, MemoryOfPiecesIsBoundedByEntries) {
  // 1024 images: 33 million entries, a piece for each 128 at most, of 8 KiB.
  const problem p = of_images(1024, 16, 32);
  EXPECT_EQ(max_pieces(p), std::int64_t{16} * 64512 * 32 / 128);
  EXPECT_GE(piece_memory_bytes(p), static_cast<std::size_t>(max_pieces(p)) * 8192);
  EXPECT_LT(piece_memory_bytes(p), static_cast<std::size_t>(max_pieces(p)) * 8192 + (16u << 20));
  // As many tokens in blocks of 128: as many pairs of tiles.
  EXPECT_EQ(max_pieces(of_images(1024, 128, 4)) * 8, std::int64_t{16} * 8064 * 4 / 16 * 8);
}

TEST(SelectionAttentionBackward, ComparesAllRowsOfFewAndSomeOfMany) {
  EXPECT_EQ(of_images(8, 16, 32).compared_stride(), 1);
  const checked_problem many = of_images(1024, 16, 32);
  EXPECT_EQ(many.compared_stride() % 2, 1);
  EXPECT_GT(many.compared_stride(), 1);
  EXPECT_GE(many.compared_rows() * many.compared_stride(), many.rows());
  EXPECT_LT((many.compared_rows() - 1) * many.compared_stride(), many.rows());
}

}  // namespace
}  // namespace ablate::selection_attention_backward
