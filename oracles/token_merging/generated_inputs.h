#pragma once

#include <cstdint>

#include "kernels/common/mixed.h"
#include "oracles/common/generated_element.h"
#include "oracles/token_merging/checked_problem.h"

namespace ablate::token_merging {

/// Element of a token's row of x: what is in memory. Whole numbers except for one multiplication, so that
/// host and device agree in every bit.
ABLATE_ON_BOTH inline std::uint16_t generated_x(const checked_problem& p, std::int64_t token,
                                                std::int64_t channel) {
  using window_attention::bf16_of;
  using window_attention::generated_element;
  using window_attention::tensor;
  const std::uint64_t seed = p.layout.seed;
  const auto index = static_cast<std::uint64_t>(token * p.channels() + channel);
  switch (p.what) {
    case scores::scene: {
      constexpr std::int64_t new_places = 40;
      const std::int64_t of_image = p.layout.tokens_of_image();
      const std::int64_t place = token / of_image * new_places + token % of_image;
      const auto part = [](std::uint64_t x, int shift) {
        return static_cast<std::int32_t>(x >> shift & 0xffff);
      };
      const auto drawn = [&](std::uint64_t what, std::uint64_t at) {
        const std::uint64_t x = mixed((seed * 2 + what) * 0x9e3779b97f4a7c15ull + at);
        return part(x, 0) + part(x, 16) + part(x, 32) + part(x, 48) - 2 * 0xffff;
      };
      constexpr float unit = 1 / (5 * 37837.2f);
      const std::int32_t look = drawn(0, static_cast<std::uint64_t>(place * p.channels() + channel));
      return bf16_of(static_cast<float>(4 * look + 3 * drawn(1, index)) * unit);
    }
    case scores::integers:
    case scores::equal: {
      const std::uint64_t drawn =
          mixed(seed * 7 + (p.what == scores::equal ? static_cast<std::uint64_t>(channel) : index));
      return bf16_of(static_cast<float>(static_cast<int>((drawn >> 32) % 9) - 4));
    }
    default:
      return generated_element(seed, tensor::q, index, 1);
  }
}

/// Element of q, k or v, or (`which` = 3) of what attention leaves of a merged row.
ABLATE_ON_BOTH inline std::uint16_t generated_row_element(const problem& p, int which, std::int64_t head,
                                                          std::int64_t row, int element) {
  const std::int64_t rows = which == tensors ? p.attending() : p.tokens();
  const auto index = static_cast<std::uint64_t>(((which * p.heads + head) * rows + row) * width + element);
  return window_attention::generated_element(p.layout.seed, window_attention::tensor::v, index, 1);
}

/// A source's destination where it is given: early ones more often.
ABLATE_ON_BOTH inline std::int32_t generated_best(const problem& p, std::int64_t source) {
  const std::uint64_t x = mixed(p.layout.seed * 13 + static_cast<std::uint64_t>(source)) >> 32;
  return static_cast<std::int32_t>((x * x >> 32) * static_cast<std::uint64_t>(p.destinations) >> 32);
}

}  // namespace ablate::token_merging
