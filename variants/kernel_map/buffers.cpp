#include "variants/kernel_map/buffers.h"

namespace ablate::kernel_map {
namespace {

/// Where out rows are in rows, their coordinates are one buffer.
void put_both(problem& p, void* rows) {
  p.coordinates = p.out_coordinates = static_cast<const std::int32_t*>(rows);
}

}  // namespace

bound_buffers buffers(checked_problem& p) {
  const auto rows = static_cast<std::size_t>(p.rows), outs = static_cast<std::size_t>(p.outs);
  const auto offsets = static_cast<std::size_t>(p.offsets()), pairs = static_cast<std::size_t>(p.capacity);
  const auto input = buffer_role::input, output = buffer_role::output, scratch = buffer_role::scratch;
  const auto poison = buffer_reset::poison;
  return {
      p.same ? bind_by<put_both>("coordinates", p, 16 * rows)
             : bind("coordinates", p.coordinates, 16 * rows, input),
      p.same ? unbound("out_coordinates", 0) : bind("out_coordinates", p.out_coordinates, 16 * outs, input),
      bind("ends", p.ends, sizeof(std::int64_t) * (offsets + 1), output, poison),
      bind("digest", p.digest, sizeof(std::uint64_t) * static_cast<std::size_t>(p.digests()), output, poison),
      bind("status", p.status, sizeof(std::int32_t), output, poison),
      // Too large for the host: the check reads their digest.
      bind("in_rows", p.in_rows, 4 * pairs, buffer_role::result, poison),
      bind("out_rows", p.out_rows, 4 * pairs, buffer_role::result, poison),
      bind("scratch", p.scratch, scratch_bytes(p), scratch),
      bind("events", p.events, sizeof(unsigned long long) * event_count, buffer_role::instruments,
           buffer_reset::zeros),
      bind("tables", p.tables, 4 * static_cast<std::size_t>(p.table_words()), scratch, poison)};
}

}  // namespace ablate::kernel_map
