#include "variants/backbone/buffers.h"

#include <algorithm>

#include "kernels/backbone/ptv3_parts.h"
#include "kernels/dense_layers/cublaslt.h"
#include "kernels/psh_bucket/psh_bucket.h"
#include "kernels/sparse_conv/sparse_conv.h"
#include "variants/backbone/check.h"

namespace ablate::backbone {

std::vector<buffer> buffers(const problem& p) {
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
  return {{"coordinates", size(orders ? 6 * points : 0), input},
          {"cells", size(is_ptv3 ? 12 * library.pitch() : 0), input},
          {"positions", size(by_grid ? 12 * points : 0), input},
          {"ends", is_block ? 0 : sizeof(std::uint32_t) * ends_table(library).size(), input},
          {"windows", sizeof(std::uint32_t) * library.windows.size(), input},
          {"probe_steps", size(orders ? 6 * psh_bucket::most_probes : 0), input},
          {"x", size(2 * points * x_columns), input},
          {"matrices", size(2 * library.weights.matrix_elements), input},
          {"vectors", size(4 * library.weights.vector_elements), input},
          {"out_gradient", size(library.trains() ? rows_of_out : 0), input},
          {"arena", size(arena_bytes), device},
          {"workspace", dense_layers::cublaslt::workspace_bytes, device},
          {"tickets", sizeof(std::uint32_t) * size(tickets), device, buffer_reset::zeros_once},
          {"index", size(library.index.bytes), checked, poison},
          {"out", size(rows_of_out), checked, poison},
          {"x_gradient", size(library.trains() && is_block ? rows_of_out : 0), checked, poison},
          {"gradients", size(4 * library.gradients.elements), has_reference(p) ? checked : device, poison},
          {"found", sizeof(dense_layers::comparison) * comparisons_of_step * steps, finding, poison},
          {"attended", sizeof(window_attention::deviations) * steps, finding, poison},
          {"differentiated", library.trains() ? sizeof(window_attention_backward::deviations) * steps : 0,
           finding, poison},
          {"facts", sizeof(std::uint64_t) * fact_count, finding, poison},
          {"yardstick", size(yardstick_bytes(p)), buffer_role::reference}};
}

void attach(problem& p, std::span<void* const> addresses) {
  p.coordinates = static_cast<const std::uint16_t*>(addresses[coordinates]);
  p.cells = static_cast<const std::int32_t*>(addresses[cells]);
  p.positions = static_cast<const float*>(addresses[positions]);
  p.ends = static_cast<const std::uint32_t*>(addresses[ends]);
  p.windows = static_cast<const std::uint32_t*>(addresses[windows]);
  p.probe_steps = static_cast<const std::int16_t*>(addresses[probe_steps]);
  p.x = static_cast<const std::uint16_t*>(addresses[x]);
  p.matrices = static_cast<const std::uint16_t*>(addresses[matrices]);
  p.vectors = static_cast<const float*>(addresses[vectors]);
  p.out_gradient = static_cast<const std::uint16_t*>(addresses[out_gradient]);
  p.arena = static_cast<std::byte*>(addresses[arena]);
  p.workspace = addresses[workspace];
  p.tickets = static_cast<std::uint32_t*>(addresses[tickets]);
  p.index = static_cast<std::byte*>(addresses[index]);
  p.out = static_cast<std::uint16_t*>(addresses[out]);
  p.x_gradient = static_cast<std::uint16_t*>(addresses[x_gradient]);
  p.gradients = static_cast<float*>(addresses[gradients]);
  p.found = static_cast<dense_layers::comparison*>(addresses[found]);
  p.attended = static_cast<window_attention::deviations*>(addresses[attended]);
  p.differentiated = static_cast<window_attention_backward::deviations*>(addresses[differentiated]);
  p.facts = static_cast<std::uint64_t*>(addresses[facts]);
  p.yardstick = static_cast<std::byte*>(addresses[yardstick]);
}

}  // namespace ablate::backbone
