// A forward pass from other operations' kernels: the steps of a network (network.h), launched in order on one
// stream, with all outputs in one preplanned arena. Switches name the form of the parts. `layers`: cublaslt,
// with separate launches for norms, SwiGLU and GELU; cublaslt_separate, with one for each bias and residual
// too; own, kernels that fuse these, by `core` mma or wgmma, with the whole MLP for C ≤ 128; or by_shape, the
// faster one for each layer's shape (layer_choice.h). `attention` names the core. Should move, from
// `cublaslt` to `own`: launches, and bytes from L2, 84 · C · T a block to 26; from `own` to by_shape: time
// for C > 128, where rows leave own kernels no room for weights; from mma_published to a current core: nearly
// all of the time. With pdl=on kernels of attention, norms, own layers and MLPs begin while the preceding one
// still runs (programmatic dependent launch): they set up their barriers, prefetch their weights (Hopper's
// layers and MLPs), and wait before they touch another kernel's output. Every block of such a kernel waits,
// so its end implies the end of all kernels before it. Should move: gaps between kernels, and the fill of
// their pipelines; no bit of the outputs. With steps=joined one launch empties all of attention's retry
// lists, and joined_rows.cu norms, moves and adds PTv3's rows. Should move: launches, 4.5 of 12 to 15 in a
// block of PTv3, one of 6 to 8 in one of Flash3D; bytes from L2. With pools=beside the index of all bucket
// pools, a chain of small grids, runs on a second stream (a branch in a graph) during the first level's
// blocks. Should move: the time before these. With prefetch=weights that stream prefetches layers' weights
// into L2 during attention (fetch_to_l2.cu).
#include "kernels/backbone/launches.h"
#include "kernels/backbone/run.h"
#include "kernels/common/fill.h"
#include "kernels/linear/parts.h"
#include "kernels/mlp/launches.h"
#include "kernels/network/parts.h"
#include "kernels/network/run.h"
#include "kernels/network/weights_ahead.h"
#include "kernels/pool/launches.h"
#include "kernels/pool/phases.h"
#include "kernels/ptv3/parts.h"
#include "kernels/ptv3/run.h"
#include "kernels/training/gradient_run.h"
#include "kernels/window_attention/hopper_forward.h"
#include "kernels/window_attention/launches.h"
#include "kernels/window_attention/mma_forward.h"
#include "kernels/window_attention/partial_windows.h"

namespace ablate::backbone {

namespace {

/// A multiple of this many elements is what products by warpgroups take.
constexpr int of_warpgroup = 64;
/// And of a gated layer, whose weights they keep in shared memory.
constexpr int max_gated_inputs = 512;

void run_own_linear(launcher& to, const linear::problem& layer, const switches& s) {
  const bool fits = s.word("core") == "wgmma" && layer.inputs % of_warpgroup == 0 &&
                    layer.outputs % of_warpgroup == 0 &&
                    (layer.behind != linear::epilogue::swiglu || layer.inputs <= max_gated_inputs);
  if (!layer.has_norm) return fits ? linear::hopper_forward(to, layer) : linear::mma_forward(to, layer);
  // Rows of 512 elements leave no room for the weights beside them.
  const bool is_resident = fits && layer.inputs <= 256;
  is_resident ? linear::hopper_normed_forward(to, layer) : linear::mma_normed_forward(to, layer);
}

void run_linear(launcher& to, const linear::problem& layer, const layer_plan& how, const switches& s) {
  if (how.by == multiplier::library)
    return linear::library_forward(to, layer, how.bias == bias_place::product);
  const bool is_normed_apart = how.norm == norm_place::launch;
  run_own_linear(to, is_normed_apart ? linear::with_norm_launched(to, layer) : layer, s);
}

void run_mlp(launcher& to, const mlp::problem& both, const switches& s) {
  const bool fits = s.word("core") == "wgmma" && both.channels % of_warpgroup == 0;
  fits ? mlp::fused_wgmma(to, both, s) : mlp::fused_mma(to, both, s);
}

void run_attention(launcher& to, const window_attention::problem& attention, const network& n,
                   const level& of, const switches& s) {
  if (n.shape.has_partial_windows())
    return window_attention::attend_in_partial_windows(to, attention, valid_rows(n, of));
  const text_view core = s.word("attention");
  const bool is_narrow = attention.width <= 32;  // what these forms are for
  const window_attention::run_form joined = {.is_list_empty = n.joins()};
  if (is_narrow && core == "hopper_wave_fit")
    return window_attention::attend_with_inline_retry_on_hopper(to, attention,
                                                                window_attention::tile_size::wave_fit);
  if (is_narrow && core == "hopper_exp2_bf16x2")
    return window_attention::attend_in_pairs_on_hopper(to, attention, s, joined);
  if (is_narrow && core == "hopper_fixed_max")
    return window_attention::attend_with_fixed_max_on_hopper(to, attention,
                                                             window_attention::pingpong::by_window, joined);
  if (core == "hopper_fixed_max" || core == "hopper_wave_fit" || core == "hopper_exp2_bf16x2")
    return window_attention::attend_with_fixed_max_on_hopper(to, attention);
  if (core == "mma_online") return window_attention::attend_online_by_mma(to, attention);
  if (is_narrow && core == "mma_exp2_bf16x2")
    return window_attention::attend_in_pairs_by_mma(to, attention, s);
  if (core == "mma_fixed_max" || core == "mma_exp2_bf16x2")
    return window_attention::attend_with_fixed_max_by_mma(to, attention);
  window_attention::mma_published(to, attention, s);
}

void run_cluster(launcher& to, const pool::problem& pooling) {
  static const switches by_counting = {
      {"reduction", "vec16"}, {"finish", "separate"}, {"winner", "kept"}, {"members", "lists"}};
  pool::counting_sort(to, pooling, by_counting);
}

void run_reduce(launcher& to, const pool::problem& pooling, bool finishes, const level& next) {
  pool::reduce_by_vectors(to, pooling, finishes);
  if (!finishes) pool::finish_rows(to, pooling);
  // Pools in buckets write it themselves.
  if (pooling.is_grid()) fill_padding(to, pooling.finished, next, pooling.channels);
}

/// Training: what is after it is a step of its own.
void run_pool(launcher& to, const pool::problem& pooling, const level& next) {
  pool::reduce_by_vectors(to, pooling, false);
  if (pooling.is_grid()) fill_padding(to, pooling.pooled, next, pooling.channels);
}

void run_unpool(launcher& to, const pool::problem& pooling, const level& of) {
  pool::unpool_by_vectors(to, pooling);
  fill_padding(to, pooling.up, of, pooling.channels);
}

void clear(launcher& to, const problem& p, const network& n, const step& s) {
  fill(to, {{scratch_at(p, n, s), n.tensors[static_cast<std::size_t>(s.scratch)].bytes / 4, 0}});
}

/// Host reads in place of the published code's; or only one, of the last level's number of clusters, by which
/// those of all levels are known.
void wait(launcher& to, const problem& p, const network& n, const step& before) {
  if (p.host == host_role::published)
    for (int i = 0; i < published_waits_of(n, before); ++i) to.read(p.windows, std::uint32_t{0});
  if (p.host == host_role::once && &before == &first_step_of_features(n)) read_last_count(to, p, n);
}

}  // namespace

layer_form form_of(const switches& s) {
  const text_view layers = s.word("layers");
  if (layers == "cublaslt") return layer_form::library;
  if (layers == "cublaslt_separate") return layer_form::separate;
  if (layers == "own") return layer_form::own;
  if (s.has("weights"))
    return s.word("weights") == "second_stream" ? layer_form::second_stream
                                                : layer_form::second_stream_to_end;
  const bool is_on_hopper = s.word("core") == "wgmma";
  if (s.has("steps")) return is_on_hopper ? layer_form::joined : layer_form::joined_on_mma;
  return is_on_hopper ? layer_form::per_layer_best : layer_form::per_layer_best_on_mma;
}

void run_step(launcher& to, const problem& p, const network& n, const step& s, const switches& by) {
  switch (s.kind) {
    case step_kind::order: {
      pool::problem order;
      order.hashing = ordering_of(p, n, s);
      return pool::order_rows(to, order);
    }
    case step_kind::cluster:
      return n.pools_by_grid() ? run_ptv3_step(to, p, n, s, by) : run_cluster(to, pooling_of(p, n, s));
    case step_kind::embed:
      return embed_rows(to, p, n, s);
    case step_kind::linear: {
      linear::problem layer = linear_of(p, n, s);
      layer.begins_early = begins_early(n, s, by);
      return run_linear(to, layer, s.how, by);
    }
    case step_kind::add:
    case step_kind::activate:
      return run_elementwise(to, p, n, s);
    case step_kind::attention: {
      window_attention::problem attention = attention_of(p, n, s);
      attention.begins_early = begins_early(n, s, by);
      return run_attention(to, attention, n, n.level_at(s.level), by);
    }
    case step_kind::mlp: {
      mlp::problem both = mlp_of(p, n, s);
      both.begins_early = begins_early(n, s, by);
      return run_mlp(to, both, by);
    }
    case step_kind::reduce:
      return run_reduce(to, pooling_of(p, n, s), s.product < 0, n.level_at(s.level + 1));
    case step_kind::pool:
      return run_pool(to, pooling_of(p, n, s), n.level_at(s.level + 1));
    case step_kind::add_dropped:
      return run_drop_path(to, p, n, s);
    case step_kind::unpool:
      return run_unpool(to, pooling_of(p, n, s), n.level_at(s.level));
    case step_kind::restore:
      return restore_rows(to, p, n, s);
    case step_kind::arrange:
      return arrange_voxels(to, p, n, s);
    case step_kind::take:
      return take_features(to, p, n, s);
    case step_kind::clear:
      return clear(to, p, n, s);
    default:
      return is_gradient(s.kind) ? run_gradient_step(to, p, n, s, by) : run_ptv3_step(to, p, n, s, by);
  }
}

namespace {

/// With pooling in buckets, a level's clusters depend on positions alone, and nothing else uses their memory
/// of the index.
bool runs_beside(const network& n, const step& s) {
  return s.kind == step_kind::cluster && !n.pools_by_grid();
}
/// Whether a step may read what those leave: what pools, and all after it. It never begins early, so that it
/// waits for both streams.
bool needs_pools(const step& s) {
  return s.level > 0 || s.kind == step_kind::reduce || s.kind == step_kind::pool;
}

/// With the index of all pools beside the first level's blocks (pools), and weights fetched beside attention
/// (prefetch): either or both.
void run_with_work_ahead(launcher& to, const problem& p, const network& n, const switches& by) {
  launcher second = to.beside();
  std::vector<byte_range> fetched(n.steps.size());
  if (by.has("prefetch")) fetched = weights_fetched_beside(n);
  const bool has_pools_beside = by.has("pools");
  bool are_pools_awaited = false, is_joined = true;
  for (std::size_t i = 0; i < n.steps.size(); ++i) {
    const step& s = n.steps[i];
    wait(to, p, n, s);
    if (!fetched[i].is_empty()) {
      second.wait_for(to);
      fetch_to_l2(second, moved(reinterpret_cast<const std::byte*>(p.matrices), fetched[i].begin),
                  fetched[i].end - fetched[i].begin);
      is_joined = false;
    }
    if (has_pools_beside && runs_beside(n, s)) {
      if (!are_pools_awaited) second.wait_for(to);
      are_pools_awaited = true;
      is_joined = false;
      run_step(second, p, n, s, by);
      continue;
    }
    if (are_pools_awaited && needs_pools(s)) {
      to.wait_for(second);
      are_pools_awaited = false;
      is_joined = true;
    }
    run_step(to, p, n, s, by);
  }
  if (!is_joined) to.wait_for(second);
}

/// With gradients of parameters beside those of rows.
void run_with_work_beside(launcher& to, const problem& p, const network& n, const switches& by) {
  launcher second = to.beside();
  second.wait_for(to);
  for (const step& s : n.steps) {
    wait(to, p, n, s);
    is_gradient(s.kind) ? run_gradient_step_beside(to, second, p, n, s, by) : run_step(to, p, n, s, by);
    if (n.waits_for_work_beside(s)) to.wait_for(second);
  }
  to.wait_for(second);
}

}  // namespace

void forward(launcher& to, const problem& p, const switches& by) {
  const network& n = p.steps(form_of(by));
  // Steps by themselves have nothing beside them.
  if (n.works_beside() && p.step_launches == 1) return run_with_work_beside(to, p, n, by);
  if ((by.has("pools") || by.has("prefetch")) && p.step_launches == 1)
    return run_with_work_ahead(to, p, n, by);
  for (const step& s : n.steps) {
    wait(to, p, n, s);
    for (int i = 0; i < p.step_launches; ++i) run_step(to, p, n, s, by);
  }
}

}  // namespace ablate::backbone
