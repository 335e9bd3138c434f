#include "variants/psh_bucket/buffers.h"

namespace ablate::psh_bucket {

std::vector<buffer> buffers(const problem& p) {
  const auto points = static_cast<std::size_t>(p.points), channels = static_cast<std::size_t>(p.channels);
  const std::size_t counters = sizeof(std::uint32_t) * p.instances * p.buckets;
  // A region that ends before the scatter writes no rows.
  const bool scatters = p.does(phase::scatter);
  const std::size_t rows = scatters ? static_cast<std::size_t>(p.rows()) : 0;
  const auto input = buffer_role::input, output = buffer_role::output;
  const auto poison = buffer_reset::poison;
  return {{"coordinates", 6 * points, input},
          {"ends", sizeof(std::uint32_t) * p.instances, input},
          {"probe_steps", 6 * most_probes, input},
          {"features", scatters ? 2 * channels * points : 0, input},
          {"bucket_id", 2 * points, output, poison},
          {"bucket_off", 4 * points, output, poison},
          {"bucket_count", counters, output, poison},
          {"bucket_end", p.ends_buckets() ? counters : 0, output, poison},
          {"scattered", 6 * rows, output, poison},
          {"source", 4 * rows, output, poison},
          {"scattered_features", 2 * channels * rows, output, poison},
          {"scratch", scratch_bytes(p), buffer_role::scratch},
          {"events", sizeof(unsigned long long) * event_count, buffer_role::instruments, buffer_reset::zeros},
          {"key_bits", sizeof(std::int32_t), output, poison},
          {"tickets", sizeof(unsigned), buffer_role::scratch, buffer_reset::zeros_once}};
}

void attach(problem& p, std::span<void* const> addresses) {
  p.coordinates = static_cast<const std::uint16_t*>(addresses[coordinates]);
  p.ends = static_cast<const std::uint32_t*>(addresses[ends]);
  p.probe_steps = static_cast<const std::int16_t*>(addresses[probe_steps]);
  p.features = static_cast<const std::uint16_t*>(addresses[features]);
  p.bucket_id = static_cast<std::uint16_t*>(addresses[bucket_id]);
  p.bucket_off = static_cast<std::uint32_t*>(addresses[bucket_off]);
  p.bucket_count = static_cast<std::uint32_t*>(addresses[bucket_count]);
  p.bucket_end = static_cast<std::uint32_t*>(addresses[bucket_end]);
  p.scattered = static_cast<std::uint16_t*>(addresses[scattered]);
  p.source = static_cast<std::uint32_t*>(addresses[source]);
  p.scattered_features = static_cast<std::uint16_t*>(addresses[scattered_features]);
  p.scratch = addresses[scratch];
  p.events = static_cast<unsigned long long*>(addresses[events]);
  p.key_bits = static_cast<std::int32_t*>(addresses[key_bits]);
  p.tickets = static_cast<unsigned*>(addresses[tickets]);
}

}  // namespace ablate::psh_bucket
