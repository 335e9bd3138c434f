// Memory of the variants that move scattered rows.
#include "kernels/window_attention_backward/moved_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace ablate::window_attention_backward::moved_rows_test {
namespace {

problem sized(window_attention::row_order rows) {
  problem p;
  p.attention.batches = 2;
  p.attention.tokens = 384;
  p.attention.heads = 3;
  p.attention.width = 16;
  p.attention.window = 128;
  p.attention.rows = rows;
  return p;
}

TEST(MovedRowsOfTheBackwardPass, AreThereForScatteredRowsAlone) {
  EXPECT_EQ(moved_rows_bytes(sized(window_attention::row_order::buckets)), 0u);
  EXPECT_EQ(moved_rows_bytes(sized(window_attention::row_order::contiguous)), 0u);
  EXPECT_GT(moved_rows_bytes(sized(window_attention::row_order::scattered)), 0u);
}

TEST(MovedRowsOfTheBackwardPass, DoNotOverlap) {
  problem p = sized(window_attention::row_order::scattered);
  std::vector<std::byte> memory(moved_rows_bytes(p));
  p.moved = memory.data();
  const moved_rows m(p);
  std::vector<std::size_t> places;
  for (const void* at : {static_cast<const void*>(m.q), static_cast<const void*>(m.k),
                         static_cast<const void*>(m.v), static_cast<const void*>(m.out),
                         static_cast<const void*>(m.out_gradient), static_cast<const void*>(m.q_gradient),
                         static_cast<const void*>(m.k_gradient), static_cast<const void*>(m.v_gradient)})
    places.push_back(static_cast<std::size_t>(static_cast<const std::byte*>(at) - memory.data()));
  std::sort(places.begin(), places.end());
  const auto tensor_bytes = 2 * static_cast<std::size_t>(p.attention.elements());
  for (std::size_t i = 1; i < places.size(); ++i) EXPECT_GE(places[i], places[i - 1] + tensor_bytes);
  const auto lse = static_cast<std::size_t>(reinterpret_cast<const std::byte*>(m.lse) - memory.data());
  EXPECT_GE(lse, places.back() + tensor_bytes);
  EXPECT_LE(lse + 4 * 2 * 3 * 384, memory.size());
}

TEST(MovedRowsOfTheBackwardPass, MakeAContiguousProblem) {
  problem p = sized(window_attention::row_order::scattered);
  std::vector<std::byte> memory(moved_rows_bytes(p));
  p.moved = memory.data();
  const moved_rows m(p);
  const problem there = in_moved_rows(p, m);
  EXPECT_EQ(there.attention.rows, window_attention::row_order::contiguous);
  EXPECT_EQ(there.attention.scope, nullptr);
  EXPECT_EQ(there.attention.q, m.q);
  EXPECT_EQ(there.attention.lse, m.lse);
  EXPECT_EQ(there.out_gradient, m.out_gradient);
  EXPECT_EQ(there.k_gradient, m.k_gradient);
  EXPECT_EQ(there.attention.tokens, p.attention.tokens);
}

}  // namespace
}  // namespace ablate::window_attention_backward::moved_rows_test
