// PTv3's own steps, from other operations' kernels (kernels/backbone/steps.cu). Codes of all four curves by
// the state machine, one sort of packed words for all; clusters from the flags of these orders, and pooling
// by them. With index=published instead: codes by tables, a sort of 64-bit pairs a curve, and pools that sort
// again, some twenty launches each. Should move: launches, and bytes of the sorts; nothing after them. Kernel
// maps with half the searches, each pair entered at both its offsets. A convolution uses the table with 64
// stationary rows or, for own kernels, lists of pairs with sums by reductions. Training always uses the
// table; the lists, in a reproducible order, are for the gradients of weights.
#include "kernels/kernel_map/launches.h"
#include "kernels/kernel_map/phases.h"
#include "kernels/network/parts.h"
#include "kernels/network/run.h"
#include "kernels/pool/launches.h"
#include "kernels/ptv3/joined_rows.h"
#include "kernels/ptv3/parts.h"
#include "kernels/ptv3/run.h"
#include "kernels/serialize/launches.h"
#include "kernels/sparse_conv/launches.h"
#include "kernels/window_attention/gather.cuh"

namespace ablate::backbone {
namespace {

void run_codes(launcher& to, const serialize::problem& codes, bool is_published) {
  static const switches at_once = {{"sort_bits", "used"}, {"sorts", "together"}, {"sort_items", "packed"}},
                        one_by_one = {{"sort_bits", "64"}, {"sorts", "each"}, {"sort_items", "pairs"}};
  is_published ? serialize::tables(to, codes, one_by_one) : serialize::states(to, codes, at_once);
}

void find_clusters(launcher& to, const pool::problem& pooling, bool is_published) {
  static const switches in_two_launches = {{"launch", "each"}};
  is_published ? pool::index_by_torch_steps(to, pooling, {})
               : pool::index_by_flags(to, pooling, in_two_launches);
}

void run_map(launcher& to, const problem& p, const network& n, const step& s) {
  write_voxels(to, p, n, s);
  kernel_map::problem map = map_of(p, n, s);
  const bool goes_by_masks = s.is_stem || !n.convolves_lists();
  if (!goes_by_masks) map.wanted = kernel_map::output::dense;
  static const switches mirrored = {{"layout", "packed"}, {"driver", "grid"}, {"symmetry", "mirrored"}};
  kernel_map::row_table(to, map, mirrored);
  if (!n.lists_pairs(s.is_stem)) return;
  kernel_map::problem lists = lists_of(p, n, s);
  lists.wanted = kernel_map::output::dense;  // the table is not in scratch
  if (n.trains()) {
    kernel_map::ordered_lists_from_dense(to, lists);
    return split_lists(to, p, n, s);
  }
  kernel_map::lists_from_dense(to, lists);
  cut_lists(to, p, n, s);
}

void run_convolution(launcher& to, const problem& p, const network& n, const step& s) {
  static const switches stem = {{"weights", "shared"}}, pairs = {{"reduction", "vec4"}},
                        standing = {{"offsets", "present"}, {"rows", "as_they_stand"}};
  const sparse_conv::problem conv = convolution_of(p, n, s);
  if (s.is_stem) return sparse_conv::stem_rows(to, conv, stem);
  if (n.joins() && s.scratch >= 0) return sparse_conv::lists_on_clear_sums(to, conv);
  s.scratch >= 0 ? sparse_conv::lists_fused(to, conv, pairs) : sparse_conv::output_tiles(to, conv, standing);
}

void move_rows(launcher& to, const problem& p, const network& n, const step& s) {
  const level& of = n.level_at(s.level);
  window_attention::problem rows;
  rows.tokens = s.kind == step_kind::into_windows ? of.slots : of.real;
  const std::uint16_t* const in = rows_at(p, n, s.in);
  std::uint16_t* const out = rows_at(p, n, s.out);
  if (!s.splits) return window_attention::gather_rows(to, rows, {{in, out}}, s.channels, moved_by(p, n, s));
  const std::int64_t third = s.channels / 3, from = of.rows * third, there = of.slots * third;
  window_attention::gather_rows(
      to, rows,
      {{in, out}, {moved(in, from), moved(out, there)}, {moved(in, 2 * from), moved(out, 2 * there)}}, third,
      moved_by(p, n, s));
}

}  // namespace

void read_last_count(launcher& to, const problem& p, const network& n) {
  const auto& last = n.index.of[static_cast<std::size_t>(level_count) - 2];
  const auto known = static_cast<std::int32_t>(n.levels.back().real);
  to.read(moved(in_index<std::int32_t>(p, last.count), n.instances()), known);
}

void run_ptv3_step(launcher& to, const problem& p, const network& n, const step& s, const switches& by) {
  const bool is_published = by.has("index");
  switch (s.kind) {
    case step_kind::codes:
      return run_codes(to, serialization_of(p, n, s), is_published);
    case step_kind::cluster:
      return find_clusters(to, grid_pooling_of(p, n, s), is_published);
    case step_kind::slots:
      return find_slots(to, p, n, s);
    case step_kind::map:
      return run_map(to, p, n, s);
    case step_kind::convolve:
      return run_convolution(to, p, n, s);
    case step_kind::batch_norm:
      return row_norm::normalize(to, batch_norm_of(p, n, s));
    case step_kind::into_windows:
    case step_kind::from_windows:
      return move_rows(to, p, n, s);
    case step_kind::enter_windows:
      return enter_windows(to, entering_of(p, n, s, begins_early(n, s, by)));
    case step_kind::leave_windows:
      return leave_windows(to, leaving_of(p, n, s, begins_early(n, s, by)));
    default:
      return add_normed_rows(to, p, n, s);
  }
}

}  // namespace ablate::backbone
