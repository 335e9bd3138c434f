#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/linear/linear.h"
#include "kernels/network/arena.h"
#include "kernels/network/drop_path.h"
#include "kernels/network/grid_levels.h"
#include "kernels/network/layer_choice.h"
#include "kernels/network/layers.h"
#include "kernels/network/levels.h"

namespace ablate::backbone {

/// What a step of a forward pass computes, from tensors to a tensor; rows with padding unless it says
/// otherwise.
enum class step_kind {
  order,      ///< points into bucket order
  cluster,    ///< which rows of a level form a cluster, in a bucket or a cell, and what these are like
  embed,      ///< coordinates of the rows in order, meters, padding at the origin, by the layer
  linear,     ///< the layer, with a norm in front and an epilogue
  add,        ///< skipped rows plus others
  activate,   ///< GELU of rows or, by `behind`, SwiGLU of their halves
  attention,  ///< within windows, Q, K and V packed
  mlp,        ///< both layers of a block's MLP in one launch, with norm and residual
  reduce,     ///< mean of each cluster, PTv3: maximum; batch norm, GELU; padding is 0
  unpool,     ///< skipped rows plus their clusters' rows; padding is 0
  restore,    ///< real rows to the places that their points had
  // PTv3's.
  arrange,       ///< cells, and positions where pools need them, of the points in order
  take,          ///< features of the points in order
  codes,         ///< of the cells on four curves, the orders along these, and their inverses
  slots,         ///< which row each slot of the windows takes, and where each row is, by order
  map,           ///< which rows are neighbors at a level, for all of its convolutions; or for the stem
  convolve,      ///< the layer's sparse convolution
  batch_norm,    ///< after the stem, with GELU
  into_windows,  ///< rows to the slots of the windows along a curve
  from_windows,  ///< each row from its slot
  add_normed,    ///< skipped rows plus the normed ones
  pool,          ///< training: `reduce` without what is after it
  add_dropped,   ///< training: skipped rows plus those that drop path keeps
  // Joined.
  clear,          ///< memory that attention and convolutions add to, once for all of them
  enter_windows,  ///< skipped rows plus the normed ones; these sums, normed again, to the windows' slots
  leave_windows,  ///< skipped rows plus each row from its slot; with a norm also these sums, normed
  // Of training, after the forward pass: from the gradient of what a step wrote.
  normalize,           ///< kept rows, by the norm again
  linear_gradient,     ///< the layer's: of its rows, of its weight and bias
  norm_gradient,       ///< the norm's: of kept rows, with what arrives beside it, of gamma and beta
  mlp_gradient,        ///< both layers' of a block's MLP, of the norm in front, with the residual's
  attention_gradient,  ///< of Q, K and V, one after another
  batch_gradient,      ///< a batch norm's with GELU: of real rows, padding is 0, of gamma and beta
  pool_gradient,       ///< of the rows of each cluster; padding is 0
  unpool_gradient,     ///< of the clusters' rows, sums of their rows'; of skipped rows it is what arrives
  restore_gradient,    ///< each real row's from its point; padding is 0
  embed_gradient,      ///< of the layer alone
  pack,                ///< rows of Q, K and V from consecutive tensors to side by side
  drop_gradient,       ///< of the rows that drop path keeps
  // PTv3's.
  from_windows_gradient,  ///< of each slot: its row's, or 0 where the row came from another slot
  into_windows_gradient,  ///< of Q, K and V side by side: sums of what is in the row's slots
  convolution_gradient    ///< the layer's: of its rows, but of the stem, and of its weight and bias
};

enum class pass_kind {
  inference,
  training  ///< forward, keeping what gradients need, and the gradients of the rows and all parameters
};

constexpr bool is_index(step_kind kind) {
  return kind == step_kind::order || kind == step_kind::arrange || kind == step_kind::cluster ||
         kind == step_kind::codes || kind == step_kind::slots || kind == step_kind::map;
}
constexpr bool is_gradient(step_kind kind) { return kind >= step_kind::normalize; }

/// Where gradients of parameters are computed beside those of rows (is_beside): whether a step leaves some
/// that nothing after it needs.
constexpr bool has_work_beside(step_kind kind) {
  return kind == step_kind::linear_gradient || kind == step_kind::norm_gradient ||
         kind == step_kind::mlp_gradient;
}

struct step {
  step_kind kind = step_kind::linear;
  std::string name = {};
  int level = 0;                ///< of the rows read; of `unpool`, of those written
  int channels = 0;             ///< of the rows read; of `embed` and `activate`, of those written
  int layer = -1, second = -1;  ///< the layer; mlp: both; reduce and batch_norm: the batch norm
  int norm = -1;                ///< linear and mlp: in front; add_normed and normalize: the norm
  linear::epilogue behind = linear::epilogue::bias;
  layer_plan how = {};  ///< linear: by whom, and where its norm and bias are done; or its weight's gradient
  bool splits = false;  ///< Q, K and V: linear writes them one after another; into_windows moves them so
  int heads = 0;
  int curve = 0;                     ///< into_windows, from_windows, and joined ones: whose order
  bool is_stem = false;              ///< map, convolve: 5³ offsets of the first level
  float drop = 0;                    ///< add_dropped, drop_gradient: p
  std::uint64_t drop_seed = 0;       ///< as above: seed_of_branch
  std::int64_t windows_at = 0;       ///< attention: where its windows begin among `network::windows`
  int in = -1, skip = -1, out = -1;  ///< tensors; skip: the residual, or the skipped rows
  int normed = -1, product = -1;     ///< tensors of a step alone: what it leaves between its launches
  int scratch = -1, lse = -1;        ///< as above; training keeps the log-sum-exp
  std::int64_t scratch_from = 0;     ///< where in `scratch` that begins, bytes
  // Of joined steps.
  bool is_of_slots = false;  ///< linear: its rows are those of the windows' slots
  int next_norm = -1;        ///< enter_windows, leave_windows: the norm of the sums, if they have one
  int next = -1;             ///< the tensor of that: of enter_windows by slot, of leave_windows by row
  /// Of gradients: tensors of the forward pass (the layer's input, the normed rows, Q, K and V; an MLP's
  /// input), and what it wrote there (the MLP's first layer, attention's rows).
  int kept = -1, written = -1;  ///< a batch norm's and of its gradient: its statistics, fp32 [4][channels]
  int beside = -1;  ///< norm_gradient, mlp_gradient: the gradient that the same rows have from elsewhere
};

/// A kernel map: sparse_conv::problem's and kernel_map::problem's arrays of these names, bytes in the index.
/// For own kernels also the lists, and their pieces; for the gradients of weights the lists and their splits.
struct map_places {
  std::int64_t table = 0;                     ///< the masks after it
  std::int64_t ends = 0, status = 0;          ///< i64, i32 [1]
  std::int64_t in_rows = 0, out_rows = 0;     ///< i32 [pairs]
  std::int64_t tiles = 0;                     ///< sparse_conv::piece [tiles_of(level)]
  std::int64_t splits = 0;                    ///< sparse_conv::piece [splits_of(…).count]
  std::int64_t list_ends = 0, part_ends = 0;  ///< i32 [offsets + 1]
};

/// What a level of PTv3 has, beside what pooling leaves, as far as the model needs it: bytes in the index.
struct grid_places {
  /// pool::problem's; of the first level inputs, unless rows are in another order than these.
  std::int64_t cells = 0, positions = 0;
  std::int64_t codes = 0, orders = 0, inverses = 0;  ///< [curves][network::pitch()]
  std::int64_t voxels = 0;                           ///< i32 [V][4]: instance and cell
  std::int64_t row_of_slot = 0;                      ///< i32 [curves][slots]
  std::int64_t slot_of_row = 0;                      ///< i32 [curves][V]
  map_places map;
};

/// When PTv3's index is made: each part where a step first needs it, as published; or all before the
/// features, since it depends on the voxels' positions alone.
enum class index_order { as_needed, first };

/// What all steps of the index need, in one buffer: kept to the end.
struct index_places {
  struct of_level {
    std::int64_t coordinates = 0;                                ///< fp16 [T][3]; of levels in buckets
    std::int64_t start = 0, member = 0, cluster = 0, count = 0;  ///< pool::problem's, to the next level
    grid_places grid;                                            ///< PTv3
  };
  map_places stem;          ///< PTv3: the table alone
  std::int64_t source = 0;  ///< u32 [T of level 0]: the point in each row; ≥ points: padding; in buckets
  std::vector<of_level> of;
  std::int64_t bytes = 0;
};

/// A forward pass: steps in the order in which they are launched, on one stream. Everything about it follows
/// from the sizes and is known before anything runs: Flash3D's from the number of points, PTv3's from
/// their positions (grid_levels.h).
struct network {
  model of;
  window_shape shape;
  layer_form form = layer_form::library;
  layer_table layers;
  weight_places weights;
  std::vector<level> levels;
  /// Scope tables, one after another. Of a block whose windows are gathered before them the row that
  /// each slot takes, and the slot of each row.
  std::vector<std::uint32_t> windows;
  index_places index;
  std::vector<tensor> tensors;
  std::vector<step> steps;
  pass_kind pass = pass_kind::inference;
  gradient_places gradients;  ///< training
  std::int64_t arena_bytes = 0;
  int workspace_beside = -1;  ///< a tensor: cuBLASLt's for the gradients beside those of rows
  int out_channels = 0;
  drop_path drops;                           ///< training
  int depth = 0;                             ///< PTv3: grid_levels'
  std::vector<std::int64_t> stem_list_ends;  ///< as above
  /// Joined: the tensor that `clear` fills with 0 before the features. It has the sums of convolutions, which
  /// each convolution leaves at 0 again, and each attention's list of tiles to recompute.
  int cleared = -1;

  bool is_block() const { return of.decoder.empty(); }
  bool is_ptv3() const { return of.kind == family::ptv3 && !is_block(); }
  std::int64_t stem_pairs() const { return pairs_of(stem_list_ends); }
  /// PTv3: whether convolutions go through lists of pairs and add up by atomics, with other bits each time;
  /// else through the table, as all do in training: a gradient of a rounding's other outcome is another one.
  bool convolves_lists() const { return is_ptv3() && of.has_positions && !is_by_library(form) && !trains(); }
  /// Whether a map has lists: for those, or for the gradients of weights.
  bool lists_pairs(bool is_stem) const { return trains() || (convolves_lists() && !is_stem); }
  /// Whether what is between layers is joined: attention's lists are emptied in one launch; convolutions'
  /// sums, too; and PTv3's rows go into their windows with the sum after the position encoding and the norm
  /// before Q, K and V, and leave them with the residual after the projection and, where the MLP is not
  /// one launch, the norm before it. Inference of whole backbones alone.
  bool joins() const { return cleared >= 0; }
  /// Whether rows are put into bucket order, and back at the end.
  bool orders_points() const { return of.in_buckets && !is_block(); }
  bool pools_by_grid() const { return !of.pools_in_buckets; }
  /// PTv3: elements from a curve's array to the next one's, at all levels.
  std::int64_t pitch() const { return (points() + 3) / 4 * 4; }
  std::int64_t points() const { return levels.front().real; }
  int instances() const { return static_cast<int>(levels.front().ends.size()); }
  /// Rows of a linear step.
  std::int64_t rows_of(const step& s) const {
    return s.is_of_slots ? level_at(s.level).slots : level_at(s.level).rows;
  }
  const level& level_at(int l) const { return levels[static_cast<std::size_t>(l)]; }
  const grid_places& grid_at(int l) const { return index.of[static_cast<std::size_t>(l)].grid; }
  const layer& layer_at(int i) const { return layers.all[static_cast<std::size_t>(i)]; }
  const layer_place& place_at(int i) const { return weights.of[static_cast<std::size_t>(i)]; }
  bool trains() const { return pass == pass_kind::training; }
  /// Whether gradients of parameters are computed beside those of rows.
  bool works_beside() const { return workspace_beside >= 0; }
  /// Whether the pass waits after a step for all gradients computed beside it, as at its end. Attention's
  /// gradients take long enough to hide those of the layers before them, but free multiprocessors only as
  /// they end. Without waiting, these run whenever multiprocessors are free, and their inputs are kept to the
  /// end.
  bool waits_for_work_beside(const step& s) const {
    return form != layer_form::second_stream_to_end && s.kind == step_kind::attention_gradient;
  }
  /// Whether inference has no such step.
  bool is_of_training(const step& s) const {
    return is_gradient(s.kind) || s.kind == step_kind::pool || s.kind == step_kind::add_dropped ||
           (trains() && s.kind == step_kind::batch_norm);
  }
};

}  // namespace ablate::backbone
