#pragma once

#include <cstdint>

#include "kernels/common/mixed.h"
#include "oracles/block_sparse_selection/checked_problem.h"
#include "oracles/common/generated_element.h"

namespace ablate::block_sparse_selection {

using window_attention::tensor;

/// A near-Gaussian whole number with standard deviation 37837: the sum of four uniform ones of 16 bits.
ABLATE_ON_BOTH inline std::int32_t generated_integer(std::uint64_t seed, std::uint64_t index) {
  const std::uint64_t x = mixed(seed * 0x9e3779b97f4a7c15ull + index);
  const auto part = [&](int shift) { return static_cast<std::int32_t>(x >> shift & 0xffff); };
  return part(0) + part(16) + part(32) + part(48) - 2 * 0xffff;
}

/// scores::scene: 0.8 of what the block's place looks like, a moving average of four, and 0.6 of its own. An
/// image has 1008 tokens, a third of whose places are new. Whole numbers except for one multiplication, so
/// that host and device agree in every bit.
ABLATE_ON_BOTH inline std::uint16_t scene_element(std::uint64_t seed, tensor of, std::int64_t head,
                                                  std::int64_t token, int element, std::uint64_t index) {
  constexpr std::int64_t tokens_of_image = 1008, new_places = 5;
  const std::int64_t place = token / tokens_of_image * new_places + token % tokens_of_image / key_block;
  std::int32_t look = 0;
  for (std::int64_t i = place; i < place + 4; ++i)
    look += generated_integer(seed * 3, static_cast<std::uint64_t>(head << 40 | (i * width + element)));
  const std::int32_t own = generated_integer(seed * 3 + (of == tensor::q ? 1 : 2), index);
  constexpr float unit = 1 / (5 * 37837.2f);
  return window_attention::bf16_of(static_cast<float>(2 * look + 3 * own) * unit);
}

/// Element of a pooled row of q or k: what is in memory.
ABLATE_ON_BOTH inline std::uint16_t generated_bits(const checked_problem& p, tensor of, std::int64_t head,
                                                   std::int64_t block, int element) {
  using window_attention::bf16_of;
  using window_attention::generated_element;
  const bool is_query = of == tensor::q;
  const auto index =
      static_cast<std::uint64_t>((head * (is_query ? p.queries : p.keys) + block) * width + element);
  switch (p.what) {
    case scores::scene:
      return scene_element(p.seed, of, head, block * (is_query ? query_block : key_block), element, index);
    case scores::integers: {
      const std::uint64_t drawn = mixed(p.seed * 7 + index * 2 + (is_query ? 1 : 0));
      return bf16_of(static_cast<float>(static_cast<int>((drawn >> 32) % 9) - 4));
    }
    case scores::ascending:
    case scores::descending: {
      // The score is the key block's place over 64: its three digits of 7 bits times what each is worth.
      if (element > 2) return 0;
      const int shift = 7 * (2 - element);
      if (is_query) return bf16_of(static_cast<float>(1 << shift) / 64);
      const std::int64_t place = p.what == scores::ascending ? block : p.keys - 1 - block;
      return bf16_of(static_cast<float>(place >> shift & 127));
    }
    case scores::levels: {
      // 0, 4 or 8, times 1 to 1 7/8 by the query block.
      if (element != 0) return 0;
      if (is_query) return bf16_of(1 + static_cast<float>(block % 8) / 8);
      return bf16_of(static_cast<float>(4 * (mixed(p.seed * 7 + index) % 3)));
    }
    case scores::equal:
      return generated_element(p.seed, of,
                               is_query ? index : static_cast<std::uint64_t>(head * width + element), 1);
    default:
      return generated_element(p.seed, of, index, 1);
  }
}

}  // namespace ablate::block_sparse_selection
