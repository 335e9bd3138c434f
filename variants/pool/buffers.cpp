#include "variants/pool/buffers.h"

#include "variants/psh_bucket/buffers.h"

namespace ablate::pool {

bool reads_features(const problem& p) {
  return p.does(phase::reduce) || p.does(phase::finish) || (p.does(phase::reduce_backward) && p.selects());
}

std::vector<buffer> buffers(const problem& p) {
  if (p.does(phase::order)) return psh_bucket::buffers(p.hashing);
  const auto points = static_cast<std::size_t>(p.points), capacity = static_cast<std::size_t>(p.capacity());
  const std::size_t channels = static_cast<std::size_t>(p.channels), point_rows = 2 * points * channels,
                    cluster_rows = 2 * capacity * channels;
  const bool grid = p.is_grid(), indexes = p.does(phase::index), unpools = p.does(phase::unpool);
  const bool spreads = p.does(phase::reduce_backward), sums = p.does(phase::unpool_backward);
  const std::size_t of_curves = grid ? static_cast<std::size_t>(p.curves * p.pitch()) : 0;
  const auto input = buffer_role::input, output = buffer_role::output, scratch = buffer_role::scratch;
  const auto poison = buffer_reset::poison;
  // Coordinates and orders of the clusters are checked where the index is what was asked for; of the pooled
  // rows, those behind batch norm where it follows.
  const auto of_index = indexes ? output : scratch;
  const auto of_pooled = p.last == phase::reduce ? output : scratch;
  const bool pools = p.does(phase::reduce) || p.does(phase::finish) || (spreads && p.selects());
  return {{"ends", sizeof(std::uint32_t) * static_cast<std::size_t>(p.instances), input},
          {"coordinates", grid ? 0 : 6 * points, input},
          {"positions", grid ? 12 * points : 0, input},
          {"cells", grid ? 12 * points : 0, input},
          {"codes", 8 * of_curves, input},
          {"orders", 4 * of_curves, input},
          {"features", reads_features(p) ? point_rows : 0, input},
          {"norm", p.does(phase::finish) ? 4 * sizeof(float) * channels : 0, input},
          {"skipped", unpools ? point_rows : 0, input},
          {"down", unpools ? cluster_rows : 0, input},
          {"row_gradient", spreads ? cluster_rows : 0, input},
          {"point_gradient", sums ? point_rows : 0, input},
          {"start", sizeof(std::uint32_t) * (capacity + 1), output, poison},
          {"member", sizeof(std::uint32_t) * points, output, poison},
          {"cluster", sizeof(std::uint32_t) * points, output, poison},
          {"count", sizeof(std::int32_t) * static_cast<std::size_t>(p.instances + 1), output, poison},
          {"half_out", grid ? 0 : 6 * capacity, of_index, poison},
          {"position_out", grid ? 12 * capacity : 0, of_index, poison},
          {"cell_out", grid ? 12 * capacity : 0, of_index, poison},
          {"code_out", 8 * of_curves, of_index, poison},
          {"order_out", 4 * of_curves, of_index, poison},
          {"inverse_out", 4 * of_curves, of_index, poison},
          {"pooled", pools ? cluster_rows : 0, of_pooled, poison},
          {"winner", p.trains ? capacity * channels : 0, spreads ? scratch : output, poison},
          {"finished", p.does(phase::finish) ? cluster_rows : 0, output, poison},
          {"up", unpools ? point_rows : 0, output, poison},
          {"feature_gradient", spreads ? point_rows : 0, output, poison},
          {"down_gradient", sums ? cluster_rows : 0, output, poison},
          {"promises", sizeof(std::int32_t), output, poison},
          {"state", sizeof(std::uint32_t) * static_cast<std::size_t>(state_words(p)), scratch,
           buffer_reset::zeros_once},
          {"scratch", scratch_bytes(p), scratch, poison}};
}

void attach(problem& p, std::span<void* const> addresses) {
  if (p.does(phase::order)) return psh_bucket::attach(p.hashing, addresses);
  const auto put = [&]<class T>(T*& pointer, place at) { pointer = static_cast<T*>(addresses[at]); };
  put(p.ends, ends);
  put(p.coordinates, coordinates);
  put(p.positions, positions);
  put(p.cells, cells);
  put(p.codes, codes);
  put(p.orders, orders);
  put(p.features, features);
  put(p.norm, norm);
  put(p.skipped, skipped);
  put(p.down, down);
  put(p.row_gradient, row_gradient);
  put(p.point_gradient, point_gradient);
  put(p.start, start);
  put(p.member, member);
  put(p.cluster, cluster);
  put(p.count, count);
  put(p.half_out, half_out);
  put(p.position_out, position_out);
  put(p.cell_out, cell_out);
  put(p.code_out, code_out);
  put(p.order_out, order_out);
  put(p.inverse_out, inverse_out);
  put(p.pooled, pooled);
  put(p.winner, winner);
  put(p.finished, finished);
  put(p.up, up);
  put(p.feature_gradient, feature_gradient);
  put(p.down_gradient, down_gradient);
  put(p.promises, promises);
  put(p.state, state);
  p.scratch = addresses[scratch_memory];
}

}  // namespace ablate::pool
