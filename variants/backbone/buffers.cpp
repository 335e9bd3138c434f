#include "variants/backbone/buffers.h"

#include <algorithm>

#include "kernels/common/dense/cublaslt.h"
#include "kernels/psh_bucket/psh_bucket.h"
#include "kernels/ptv3/parts.h"
#include "kernels/sparse_conv/sparse_conv.h"
#include "oracles/backbone/yardstick.h"
#include "variants/backbone/check.h"

namespace ablate::backbone {

bound_buffers buffers(checked_problem& p) {
  const network& library = *p.by_library;
  std::size_t steps = 0;
  std::int64_t arena_bytes = 0;
  for (int form = 0; form < layer_forms; ++form) {
    const network& n = p.steps(static_cast<layer_form>(form));
    steps = std::max(steps, n.steps.size());
    arena_bytes = std::max(arena_bytes, n.arena_bytes);
  }
  const bool is_block = library.is_block();
  const auto size = [](std::int64_t bytes) { return static_cast<std::size_t>(bytes); };
  const std::int64_t points = library.points(), rows_of_out = 2 * points * library.out_channels;
  const auto input = buffer_role::input, device = buffer_role::scratch, checked = buffer_role::output,
             finding = buffer_role::finding;
  const auto poison = buffer_reset::poison;
  const bool is_ptv3 = library.is_ptv3(), orders = library.orders_points(), by_grid = library.pools_by_grid();
  const std::int64_t x_columns = is_block ? library.out_channels : is_ptv3 ? sparse_conv::stem_channels : 0;
  const std::int64_t tickets =
      std::max<std::int64_t>(by_grid ? grid_state_words(library) : 0, orders ? 1 : 0);
  // Qualified: of a std::byte* std::bind is found too.
  return {
      bind("coordinates", p.coordinates, size(orders ? 6 * points : 0), input),
      bind("cells", p.cells, size(is_ptv3 ? 12 * library.pitch() : 0), input),
      bind("positions", p.positions, size(by_grid ? 12 * points : 0), input),
      bind("ends", p.ends, is_block ? 0 : sizeof(std::uint32_t) * ends_table(library).size(), input),
      bind("windows", p.windows, sizeof(std::uint32_t) * library.windows.size(), input),
      bind("probe_steps", p.probe_steps, size(orders ? 6 * psh_bucket::max_probes : 0), input),
      bind("x", p.x, size(2 * points * x_columns), input),
      bind("matrices", p.matrices, size(2 * library.weights.matrix_elements), input),
      bind("vectors", p.vectors, size(4 * library.weights.vector_elements), input),
      bind("out_gradient", p.out_gradient, size(library.trains() ? rows_of_out : 0), input),
      ablate::bind("arena", p.arena, size(arena_bytes), device),
      bind("workspace", p.workspace, cublaslt::workspace_bytes, device),
      bind("tickets", p.tickets, sizeof(std::uint32_t) * size(tickets), device, buffer_reset::zeros_once),
      ablate::bind("index", p.index, size(library.index.bytes), checked, poison),
      bind("out", p.out, size(rows_of_out), checked, poison),
      bind("x_gradient", p.x_gradient, size(library.trains() && is_block ? rows_of_out : 0), checked, poison),
      bind("gradients", p.gradients, size(4 * library.gradients.elements),
           has_reference(p) ? checked : device, poison),
      bind("found", p.found, sizeof(dense_layers::comparison) * comparisons_of_step * steps, finding, poison),
      bind("attended", p.attended, sizeof(window_attention::deviations) * steps, finding, poison),
      bind("differentiated", p.differentiated,
           library.trains() ? sizeof(window_attention_backward::deviations) * steps : 0, finding, poison),
      bind("facts", p.facts, sizeof(std::uint64_t) * fact_count, finding, poison),
      ablate::bind("yardstick", p.yardstick, size(yardstick_bytes(p)), buffer_role::reference)};
}

}  // namespace ablate::backbone
