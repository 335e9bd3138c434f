#include "variants/psh_bucket/buffers.h"

namespace ablate::psh_bucket {

bound_buffers buffers(checked_problem& p) { return buffers_of(p, p.key_bits); }

bound_buffers buffers_of(problem& p, std::int32_t*& key_bits) {
  const auto points = static_cast<std::size_t>(p.points), channels = static_cast<std::size_t>(p.channels);
  const std::size_t counters = sizeof(std::uint32_t) * p.instances * p.buckets;
  // A region that ends before the scatter writes no rows.
  const bool scatters = p.does(phase::scatter);
  const std::size_t rows = scatters ? static_cast<std::size_t>(p.rows()) : 0;
  const auto input = buffer_role::input, output = buffer_role::output;
  const auto poison = buffer_reset::poison;
  return {bind("coordinates", p.coordinates, 6 * points, input),
          bind("ends", p.ends, sizeof(std::uint32_t) * p.instances, input),
          bind("probe_steps", p.probe_steps, 6 * max_probes, input),
          bind("features", p.features, scatters ? 2 * channels * points : 0, input),
          bind("bucket_id", p.bucket_id, 2 * points, output, poison),
          bind("bucket_off", p.bucket_off, 4 * points, output, poison),
          bind("bucket_count", p.bucket_count, counters, output, poison),
          bind("bucket_end", p.bucket_end, p.ends_buckets() ? counters : 0, output, poison),
          bind("scattered", p.scattered, 6 * rows, output, poison),
          bind("source", p.source, 4 * rows, output, poison),
          bind("scattered_features", p.scattered_features, 2 * channels * rows, output, poison),
          bind("scratch", p.scratch, scratch_bytes(p), buffer_role::scratch),
          bind("events", p.events, sizeof(unsigned long long) * event_count, buffer_role::instruments,
               buffer_reset::zeros),
          bind("key_bits", key_bits, sizeof(std::int32_t), output, poison),
          bind("tickets", p.tickets, sizeof(unsigned), buffer_role::scratch, buffer_reset::zeros_once)};
}

}  // namespace ablate::psh_bucket
