#pragma once

#include <cstdint>

#include "kernels/common/mixed.h"
#include "kernels/global_attention/patch_position.h"
#include "oracles/common/generated_element.h"
#include "oracles/global_attention/checked_layer.h"

// What q, k and v hold, element by element.

namespace ablate::global_attention {

using window_attention::tensor;

constexpr int patch_block = block_layout::patch_block, tokens_of_image = block_layout::tokens_of_s3r;
/// New patch blocks that each image shows of the scene: a place is seen by 12 or 13 images, so that lists of
/// 32 name the place in all of them and its neighbors, which the lists of those name too.
constexpr int step_of_images = 5;

/// A near-Gaussian whole number with standard deviation 37837: the sum of four uniform ones of 16 bits.
ABLATE_ON_BOTH inline std::int32_t generated_integer(std::uint64_t seed, std::uint64_t index) {
  const std::uint64_t x = mixed(seed * 0x9e3779b97f4a7c15ull + index);
  const auto part = [&](int shift) { return static_cast<std::int32_t>(x >> shift & 0xffff); };
  return part(0) + part(16) + part(32) + part(48) - 2 * 0xffff;
}

/// scores::plane, of q and k, as scene_element: of four neighboring cells of 4 × 4 patches, and the patch.
ABLATE_ON_BOTH inline std::uint16_t plane_element(std::uint64_t seed, tensor of, std::int64_t head,
                                                  const patch_position& patch, int element,
                                                  std::uint64_t index) {
  constexpr std::int64_t new_columns = 3, rows_of_cells = 16, rows = 4 * rows_of_cells;
  const auto seed_of = [seed](std::uint64_t what) { return seed * 8 + 4 + what; };
  const auto at = [&](std::int64_t place) {
    return static_cast<std::uint64_t>(head << 40 | (place * width + element));
  };
  const std::int64_t x = patch.image * new_columns + patch.x;
  std::int32_t look = 0;
  for (int i = 0; i < 4; ++i)
    look += generated_integer(seed_of(0), at((x / 4 + i % 2) * rows_of_cells + patch.y / 4 + i / 2));
  const std::int32_t detail = generated_integer(seed_of(1), at(x * rows + patch.y));
  const std::int32_t own = generated_integer(seed_of(of == tensor::q ? 2 : 3), index);
  constexpr float unit = 1 / (64 * 37837.2f);
  return window_attention::bf16_of(static_cast<float>(22 * look + 26 * detail + 38 * own) * unit);
}

/// Where a patch is: its image, its patch block there, its place in that.
struct patch_place {
  std::int64_t image, block, in_block;
};
ABLATE_ON_BOTH inline patch_place place_of(const block_layout& layout, std::int64_t token) {
  if (!layout.is_cut())
    return {token / tokens_of_image, token % tokens_of_image / patch_block, token % patch_block};
  const std::int64_t block = layout.block_of(token);
  return {block / block_layout::blocks_of_vggt, block % block_layout::blocks_of_vggt,
          token - layout.span(block).first};
}

/// scores::scene, of q and k. Whole numbers except for one multiplication, so that host and device agree in
/// every bit: weights of 22 (four neighboring places each), 26 and 38 out of 64.
ABLATE_ON_BOTH inline std::uint16_t scene_element(std::uint64_t seed, tensor of, std::int64_t head,
                                                  const patch_place& patch, int element,
                                                  std::uint64_t index) {
  const auto seed_of = [seed](std::uint64_t what) { return seed * 8 + what; };
  const auto at = [&](std::int64_t place) {
    return static_cast<std::uint64_t>(head << 40 | (place * width + element));
  };
  const std::int64_t place = patch.image * step_of_images + patch.block;
  std::int32_t look = 0;
  for (std::int64_t i = place; i < place + 4; ++i) look += generated_integer(seed_of(0), at(i));
  const std::int32_t detail = generated_integer(seed_of(1), at(place * patch_block + patch.in_block));
  const std::int32_t own = generated_integer(seed_of(of == tensor::q ? 2 : 3), index);
  constexpr float unit = 1 / (64 * 37837.2f);
  return window_attention::bf16_of(static_cast<float>(22 * look + 26 * detail + 38 * own) * unit);
}

/// Element of a token: what is in memory.
ABLATE_ON_BOTH inline std::uint16_t generated_bits(const checked_layer& p, tensor of, std::int64_t head,
                                                   std::int64_t token, int element) {
  using window_attention::bf16_of;
  using window_attention::generated_element;
  const auto index = static_cast<std::uint64_t>((head * p.tokens + token) * width + element);
  const block_layout layout = p.layout();
  const bool is_special = token >= layout.patches();
  if (of == tensor::v) return generated_element(p.seed, of, index, 1);
  switch (p.what) {
    case scores::scene:
      return is_special ? generated_element(p.seed, of, index, 1)
                        : scene_element(p.seed, of, head, place_of(layout, token), element, index);
    case scores::plane:
      return is_special ? generated_element(p.seed, of, index, 1)
                        : plane_element(p.seed, of, head, position_of(layout, token), element, index);
    case scores::integers: {
      const std::uint64_t drawn = mixed(p.seed * 7 + index * 2 + (of == tensor::q ? 1 : 0));
      return bf16_of(static_cast<float>(static_cast<int>((drawn >> 32) % 9) - 4));
    }
    case scores::ascending: {
      // The score is the key block's number over 64: its three digits of 7 bits times what each is worth.
      if (element > 2) return 0;
      const int shift = 7 * (2 - element);
      if (of == tensor::q) return bf16_of(static_cast<float>(1 << shift) / 64);
      return is_special ? 0 : bf16_of(static_cast<float>(layout.block_of(token) >> shift & 127));
    }
    case scores::equal:
      return generated_element(
          p.seed, of, of == tensor::k ? static_cast<std::uint64_t>(head * width + element) : index, 1);
    default:
      return generated_element(p.seed, of, index, 1);
  }
}

}  // namespace ablate::global_attention
