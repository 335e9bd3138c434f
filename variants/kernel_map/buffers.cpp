#include "variants/kernel_map/buffers.h"

namespace ablate::kernel_map {

std::vector<buffer> buffers(const problem& p) {
  const auto rows = static_cast<std::size_t>(p.rows), outs = static_cast<std::size_t>(p.outs);
  const auto offsets = static_cast<std::size_t>(p.offsets()), pairs = static_cast<std::size_t>(p.capacity);
  const auto input = buffer_role::input, output = buffer_role::output, scratch = buffer_role::scratch;
  const auto poison = buffer_reset::poison;
  return {{"coordinates", 16 * rows, input},
          {"out_coordinates", p.same ? 0 : 16 * outs, input},
          {"ends", sizeof(std::int64_t) * (offsets + 1), output, poison},
          {"digest", sizeof(std::uint64_t) * static_cast<std::size_t>(p.digests()), output, poison},
          {"status", sizeof(std::int32_t), output, poison},
          // Too large for the host: the check reads their digest.
          {"in_rows", 4 * pairs, buffer_role::result, poison},
          {"out_rows", 4 * pairs, buffer_role::result, poison},
          {"scratch", scratch_bytes(p), scratch},
          {"events", sizeof(unsigned long long) * event_count, buffer_role::instruments, buffer_reset::zeros},
          {"tables", 4 * static_cast<std::size_t>(p.table_words()), scratch, poison}};
}

void attach(problem& p, std::span<void* const> addresses) {
  p.coordinates = static_cast<const std::int32_t*>(addresses[coordinates]);
  p.out_coordinates = p.same ? p.coordinates : static_cast<const std::int32_t*>(addresses[out_coordinates]);
  p.ends = static_cast<std::int64_t*>(addresses[ends]);
  p.digest = static_cast<std::uint64_t*>(addresses[digest]);
  p.status = static_cast<std::int32_t*>(addresses[status]);
  p.in_rows = static_cast<std::int32_t*>(addresses[in_rows]);
  p.out_rows = static_cast<std::int32_t*>(addresses[out_rows]);
  p.scratch = addresses[scratch];
  p.events = static_cast<unsigned long long*>(addresses[events]);
  p.tables = static_cast<std::int32_t*>(addresses[tables]);
}

}  // namespace ablate::kernel_map
