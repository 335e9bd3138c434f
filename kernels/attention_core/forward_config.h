// What a forward attention kernel by warpgroups is made of: the block, its softmax, and the schedule that
// joins them. All three are structural types, so that a configuration is one template argument whose parts
// have names: configured<forward_config{.block = {.width = 64, .groups = 3, …}, .pingpong = true}>.
#pragma once

#include "kernels/attention_core/softmax_form.h"
#include "kernels/common/configured.h"
#include "kernels/common/on_both.h"

namespace ablate::attention_core {

constexpr int rows_per_group = 64;  ///< queries of a warpgroup's products

/// A thread block: one warpgroup copies, the others own `group_rows` queries each.
struct block_shape {
  int width = 64;  ///< elements of a head: 16, 32, 64 or 128
  int groups = 2;  ///< consumer warpgroups
  int keys = 128;  ///< of a tile
  int stages = 2;  ///< of the ring of key tiles, and of that of value tiles
  int producer_registers = 24, consumer_registers = 240;  ///< of a thread (setmaxnreg)
  bool overlaps = false;            ///< the next scores are multiplied during the softmax of these
  int redone_rows = 0;              ///< queries of a tile on the redo list; 0: query_rows()
  int group_rows = rows_per_group;  ///< last, since it is never 0 (common/configured.h)

  ABLATE_ON_BOTH constexpr int threads() const { return 128 * (1 + groups); }
  ABLATE_ON_BOTH constexpr int query_rows() const { return group_rows * groups; }
  ABLATE_ON_BOTH constexpr int listed_rows() const { return redone_rows > 0 ? redone_rows : query_rows(); }
  /// Rows in shared memory are cut into panels of at most 128 bytes, the widest swizzle.
  ABLATE_ON_BOTH constexpr int span_bytes() const { return width >= 64 ? 128 : 2 * width; }
  ABLATE_ON_BOTH constexpr int panels() const { return width > 64 ? 2 : 1; }
  ABLATE_ON_BOTH constexpr unsigned group_bytes() const {
    return static_cast<unsigned>(group_rows * width * 2);
  }
  ABLATE_ON_BOTH constexpr unsigned tile_bytes() const { return static_cast<unsigned>(keys * width * 2); }
};

struct softmax_config {
  int software_exp2 = 0;  ///< of 16 exponentials, those by a polynomial on the FMA pipe; no running maximum
  int packed_exp2 = 0;    ///< of 16, those computed as pairs in 16-bit arithmetic (packed_exp2.cuh)
  bool sums_by_product = false;  ///< columns of ones beside the values: the MMA sums P (no running maximum)
  softmax_form form = softmax_form::online;
};

/// The same softmax in another form.
ABLATE_ON_BOTH constexpr softmax_config in_form(softmax_config config, softmax_form form) {
  config.form = form;
  return config;
}

struct forward_config {
  block_shape block = {};
  softmax_config softmax = {};
  bool pingpong = false;        ///< warpgroups take turns: one multiplies while another is in its softmax
  bool cross_tile = false;      ///< products overlap the softmax from query tile to query tile
  bool from_list = false;       ///< only the query tiles on the redo list
  bool inline_retry = false;    ///< a block redoes its overflowed tiles itself, without a list
  bool scattered_rows = false;  ///< outputs go to rows looked up in the index
  bool kept_blocks = false;     ///< a query block meets only the key blocks whose bits are set
  bool int8_scores = false;     ///< Q and K are int8
  int query_buffers = 2;        ///< with 2, the next tile's queries arrive during this one

  ABLATE_ON_BOTH constexpr unsigned key_row_bytes() const {
    return static_cast<unsigned>(int8_scores ? block.width : 2 * block.width);
  }
  ABLATE_ON_BOTH constexpr unsigned key_tile_bytes() const {
    return static_cast<unsigned>(block.keys) * key_row_bytes();
  }
};

}  // namespace ablate::attention_core
