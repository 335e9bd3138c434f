#include "variants/pool/buffers.h"

#include "variants/psh_bucket/buffers.h"

namespace ablate::pool {

bool reads_features(const problem& p) {
  return p.does(phase::reduce) || p.does(phase::finish) || (p.does(phase::reduce_backward) && p.selects());
}

bound_buffers buffers(checked_problem& p) {
  if (p.does(phase::order)) return psh_bucket::buffers_of(p.hashing, p.key_bits);
  const auto points = static_cast<std::size_t>(p.points), capacity = static_cast<std::size_t>(p.capacity());
  const std::size_t channels = static_cast<std::size_t>(p.channels), point_rows = 2 * points * channels,
                    cluster_rows = 2 * capacity * channels;
  const bool grid = p.is_grid(), indexes = p.does(phase::index), unpools = p.does(phase::unpool);
  const bool spreads = p.does(phase::reduce_backward), sums = p.does(phase::unpool_backward);
  const std::size_t of_curves = grid ? static_cast<std::size_t>(p.curves * p.pitch()) : 0;
  const auto input = buffer_role::input, output = buffer_role::output, scratch = buffer_role::scratch;
  const auto poison = buffer_reset::poison;
  // Coordinates and orders of the clusters are checked where the index is what was asked for; of the pooled
  // rows, those after batch norm where it follows.
  const auto of_index = indexes ? output : scratch;
  const auto of_pooled = p.last == phase::reduce ? output : scratch;
  const bool pools = p.does(phase::reduce) || p.does(phase::finish) || (spreads && p.selects());
  return {bind("ends", p.ends, sizeof(std::uint32_t) * static_cast<std::size_t>(p.instances), input),
          bind("coordinates", p.coordinates, grid ? 0 : 6 * points, input),
          bind("positions", p.positions, grid ? 12 * points : 0, input),
          bind("cells", p.cells, grid ? 12 * points : 0, input),
          bind("codes", p.codes, 8 * of_curves, input),
          bind("orders", p.orders, 4 * of_curves, input),
          bind("features", p.features, reads_features(p) ? point_rows : 0, input),
          bind("norm", p.norm, p.does(phase::finish) ? 4 * sizeof(float) * channels : 0, input),
          bind("skipped", p.skipped, unpools ? point_rows : 0, input),
          bind("down", p.down, unpools ? cluster_rows : 0, input),
          bind("row_gradient", p.row_gradient, spreads ? cluster_rows : 0, input),
          bind("point_gradient", p.point_gradient, sums ? point_rows : 0, input),
          bind("start", p.start, sizeof(std::uint32_t) * (capacity + 1), output, poison),
          bind("member", p.member, sizeof(std::uint32_t) * points, output, poison),
          bind("cluster", p.cluster, sizeof(std::uint32_t) * points, output, poison),
          bind("count", p.count, sizeof(std::int32_t) * static_cast<std::size_t>(p.instances + 1), output,
               poison),
          bind("half_out", p.half_out, grid ? 0 : 6 * capacity, of_index, poison),
          bind("position_out", p.position_out, grid ? 12 * capacity : 0, of_index, poison),
          bind("cell_out", p.cell_out, grid ? 12 * capacity : 0, of_index, poison),
          bind("code_out", p.code_out, 8 * of_curves, of_index, poison),
          bind("order_out", p.order_out, 4 * of_curves, of_index, poison),
          bind("inverse_out", p.inverse_out, 4 * of_curves, of_index, poison),
          bind("pooled", p.pooled, pools ? cluster_rows : 0, of_pooled, poison),
          bind("winner", p.winner, p.trains ? capacity * channels : 0, spreads ? scratch : output, poison),
          bind("finished", p.finished, p.does(phase::finish) ? cluster_rows : 0, output, poison),
          bind("up", p.up, unpools ? point_rows : 0, output, poison),
          bind("feature_gradient", p.feature_gradient, spreads ? point_rows : 0, output, poison),
          bind("down_gradient", p.down_gradient, sums ? cluster_rows : 0, output, poison),
          bind("promises", p.promises, sizeof(std::int32_t), output, poison),
          bind("state", p.state, sizeof(std::uint32_t) * static_cast<std::size_t>(state_words(p)), scratch,
               buffer_reset::zeros_once),
          bind("scratch", p.scratch, scratch_bytes(p), scratch, poison)};
}

}  // namespace ablate::pool
