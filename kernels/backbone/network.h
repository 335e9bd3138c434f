#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/backbone/arena.h"
#include "kernels/backbone/layer_choice.h"
#include "kernels/backbone/layers.h"
#include "kernels/backbone/levels.h"
#include "kernels/linear/linear.h"

namespace ablate::backbone {

/// What a step of a forward pass computes, from tensors to a tensor; rows with padding unless it says
/// otherwise.
enum class step_kind {
  order,      ///< points into bucket order
  cluster,    ///< in-bucket pooling: which rows of a level form a cluster, and the clusters' coordinates
  embed,      ///< coordinates of the rows in order, meters, padding at the origin, by the layer
  linear,     ///< the layer, with a norm in front and an epilogue
  attention,  ///< within windows, Q, K and V packed
  mlp,        ///< both layers of a block's MLP in one launch, with norm and residual
  reduce,     ///< mean of each cluster, batch norm, GELU; padding is 0
  unpool,     ///< skipped rows plus their clusters' rows; padding is 0
  restore     ///< real rows to the places that their points had
};

struct step {
  step_kind kind = step_kind::linear;
  std::string name = {};
  int level = 0;                ///< of the rows read; of `unpool`, of those written
  int channels = 0;             ///< of the rows read; of `embed`, of those written
  int layer = -1, second = -1;  ///< linear and embed: the layer; mlp: both; reduce: the batch norm
  int norm = -1;                ///< linear and mlp: in front
  linear::epilogue behind = linear::epilogue::bias;
  layer_plan how = {};  ///< linear: by whom, and where its norm is done
  int heads = 0;
  std::int64_t windows_at = 0;       ///< attention: where its windows begin among `network::windows`
  int in = -1, skip = -1, out = -1;  ///< tensors; skip: the residual, or the skipped rows
  int normed = -1, product = -1;     ///< tensors of a step alone: what it leaves between its launches
  int scratch = -1, lse = -1;        ///< likewise
};

/// What all steps of the index need, in one buffer: kept to the end.
struct index_places {
  struct of_level {
    std::int64_t coordinates = 0;                                ///< fp16 [T][3]
    std::int64_t start = 0, member = 0, cluster = 0, count = 0;  ///< pool::problem's, to the next level
  };
  std::int64_t source = 0;  ///< u32 [T of level 0]: the point in each row; ≥ points: padding
  std::vector<of_level> of;
  std::int64_t bytes = 0;
};

/// A forward pass: steps in the order in which they are launched, on one stream. Everything about it follows
/// from the sizes and is known before anything runs.
struct network {
  model of;
  window_shape shape;
  layer_form form = layer_form::library;
  layer_table layers;
  weight_places weights;
  std::vector<level> levels;
  std::vector<std::uint32_t> windows;  ///< scope tables, one behind the other
  index_places index;
  std::vector<tensor> tensors;
  std::vector<step> steps;
  std::int64_t arena_bytes = 0;
  int out_channels = 0;

  bool is_block() const { return of.decoder.empty(); }
  std::int64_t points() const { return levels.front().real; }
  int instances() const { return static_cast<int>(levels.front().ends.size()); }
  const layer& layer_at(int i) const { return layers.all[static_cast<std::size_t>(i)]; }
  const layer_place& place_at(int i) const { return weights.of[static_cast<std::size_t>(i)]; }
};

/// A Flash3D backbone on the points of these instances; or a lone block on that many rows, all real.
network network_of(const model&, const std::vector<std::uint32_t>& ends, const window_shape&, layer_form);
network network_of_block(const model& lone, std::int64_t rows, const window_shape&, layer_form);

}  // namespace ablate::backbone
