#pragma once

#include <cstdint>

#include "kernels/common/block_layout.h"
#include "kernels/common/mixed.h"
#include "kernels/common/on_both.h"

namespace ablate::token_merging {

/// Which tokens are merged into which kind (docs/operations/token_merging.md). Images follow each other; of
/// an image, special tokens come first, then patches row by row.
///
/// Destinations are all tokens of the first image, the special tokens of the others, and of those one patch,
/// drawn once, of each cell of 2 × 2 patches; a row or column that is left over has none. All others are
/// sources. One token in ten, evenly, is protected: it attends as it is. Where protected destinations attend
/// `twice`, as published, they follow the destinations again.
struct token_partition {
  token_geometry geometry = token_geometry::s3r;
  std::int64_t images = 0;
  std::uint64_t seed = 1;
  bool twice = true;

  ABLATE_ON_BOTH int special() const {
    return geometry == token_geometry::vggt ? block_layout::special_tokens : 0;
  }
  ABLATE_ON_BOTH int columns() const { return geometry == token_geometry::vggt ? 37 : 36; }
  ABLATE_ON_BOTH static int rows() { return 28; }
  ABLATE_ON_BOTH int tokens_of_image() const { return special() + rows() * columns(); }
  ABLATE_ON_BOTH std::int64_t tokens() const { return images * tokens_of_image(); }

  ABLATE_ON_BOTH bool is_destination(std::int64_t token) const {
    const std::int64_t image = token / tokens_of_image();
    const int patch = static_cast<int>(token % tokens_of_image()) - special();
    if (image == 0 || patch < 0) return true;
    const int x = patch % columns(), y = patch / columns();
    if (x / 2 >= columns() / 2 || y / 2 >= rows() / 2) return false;
    const std::int64_t cell = (image * (rows() / 2) + y / 2) * (columns() / 2) + x / 2;
    return static_cast<int>(mixed(seed * 11 + static_cast<std::uint64_t>(cell)) % 4) == y % 2 * 2 + x % 2;
  }
  ABLATE_ON_BOTH bool is_protected(std::int64_t token) const {
    const std::int64_t count = tokens() / 10, step = tokens() / count;
    return token % step == 0 && token / step < count;
  }
};

}  // namespace ablate::token_merging
