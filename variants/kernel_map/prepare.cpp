#include "variants/kernel_map/prepare.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "oracles/kernel_map/reference.h"
#include "variants/kernel_map/buffers.h"
#include "variants/kernel_map/facts.h"
#include "variants/kernel_map/rows.h"

namespace ablate::kernel_map {
namespace {

/// The inputs on the host and the expected answer.
struct known_map {
  std::vector<std::int32_t> coordinates, out_coordinates;  ///< the latter empty if they are equal
  std::vector<std::int64_t> ends;
  std::vector<std::uint64_t> digest;
  std::int32_t status = map_ok;

  /// The problem with these inputs and, if attached, its outputs.
  checked_problem with_inputs(checked_problem p) const {
    p.coordinates = coordinates.data();
    p.out_coordinates = p.same ? coordinates.data() : out_coordinates.data();
    return p;
  }
};

std::string name_of(const problem& p, int q) {
  const auto [x, y, z] = offset_of(p, q);
  return fmt::format("offset {} ({}, {}, {})", q, x, y, z);
}

std::optional<std::string> differs(const checked_problem& p, const known_map& known) {
  if (*p.status != known.status) return fmt::format("status: expected {}, found {}", known.status, *p.status);
  if (p.ends[0] != 0) return fmt::format("ends[0]: expected 0, found {}", p.ends[0]);
  for (int q = 0; q < p.offsets(); ++q)
    if (p.ends[q + 1] != known.ends[q + 1])
      return fmt::format("{}: expected {} pairs, found {}", name_of(p, q), known.ends[q + 1] - known.ends[q],
                         p.ends[q + 1] - p.ends[q]);
  for (int q = 0; q < p.offsets(); ++q)
    if (p.digest[q] != known.digest[q] && (p.wanted != output::lists || known.ends[q + 1] <= p.capacity))
      return fmt::format("{}: expected {} pairs of digest {:016x}, found as many of digest {:016x}",
                         name_of(p, q), known.ends[q + 1] - known.ends[q], known.digest[q], p.digest[q]);
  for (int q = 0; q < p.digests() - p.offsets(); ++q)
    if (const int at = p.offsets() + q; p.digest[at] != known.digest[at])
      return fmt::format("{}: expected entries of digest {:016x} in the dense table, found {:016x}",
                         name_of(p, q), known.digest[at], p.digest[at]);
  return std::nullopt;
}

/// Of 8 bytes a row, in no more sectors than there are rows.
double smallest_table_bytes(const problem& p) { return 8.0 * static_cast<double>(p.rows); }

// Compulsory bytes: coordinates read, pairs and their ends, or the tables, written; for a build alone, only
// the rows' coordinates. A model beside it: each wanted list looks up a neighbor of each out row, at random
// places of a table of the in rows; where the lists mirror each other, half of them do.
work_model work(const problem& p, std::int64_t pairs) {
  const double rows = 16.0 * static_cast<double>(p.rows), outs = 16.0 * static_cast<double>(p.outs);
  if (p.last == phase::build) return {.bytes = rows};
  const double lists = 8.0 * static_cast<double>(std::min(pairs, p.capacity)) + 8.0 * p.lists();
  const double written = p.wanted == output::lists ? lists : 4.0 * static_cast<double>(p.table_words());
  const double read = p.first == phase::map ? outs : rows + (p.same ? 0 : outs);
  const int searched = p.same ? std::min(p.lists(), p.offsets() / 2) : p.lists();
  return {
      .bytes = read + written,
      .written_bytes = written,
      .random = {{"random_read_sectors", static_cast<double>(searched * p.outs), smallest_table_bytes(p)}}};
}

/// Figures of the instrumented kernels; null if the variant has none.
nlohmann::ordered_json read_events(int offsets, std::span<const std::uint64_t> counts) {
  if (counts[queries] == 0) return nullptr;
  const auto per_query = [&](event e) {
    return static_cast<double>(counts[e]) / static_cast<double>(counts[queries]);
  };
  nlohmann::ordered_json figures = {{"queries", counts[queries]},
                                    {"probes_per_query", per_query(probes)},
                                    {"coarse_probes_per_query", per_query(coarse_probes)},
                                    {"survivor_share", nullptr},
                                    {"pairs_per_query", per_query(pairs)}};
  if (counts[coarse_probes] > 0) figures["survivor_share"] = per_query(survivors) / offsets;
  return figures;
}

}  // namespace

workload prepare(const checked_problem& p, const axis_values& at, const input_library& inputs) {
  voxel_cloud rows = in_rows_at(at, inputs);
  auto known = std::make_shared<known_map>();
  known->coordinates = rows.coords;
  if (!p.same)
    for (const voxel& v : out_rows_of(rows.coords, p.stride[0]))
      known->out_coordinates.insert(known->out_coordinates.end(), {v.batch, v.x, v.y, v.z});
  known->ends.resize(static_cast<std::size_t>(p.offsets()) + 1);
  known->digest.resize(static_cast<std::size_t>(p.digests()));
  checked_problem solved = known->with_inputs(p);
  solved.ends = known->ends.data();
  solved.digest = known->digest.data();
  solved.status = &known->status;
  reference(solved);

  workload w;
  w.contents = contents_of(p, buffers,
                           {{"coordinates", std::as_bytes(std::span(known->coordinates))},
                            {"out_coordinates", std::as_bytes(std::span(known->out_coordinates))}});
  w.check = [p, known](std::span<const std::byte* const> outputs) -> check_result {
    const auto difference = differs(attached(p, buffers, outputs), *known);
    return difference ? check_result{false, *difference} : check_result{.ok = true};
  };
  w.reference = [p, known](std::span<void* const> host) {
    reference(known->with_inputs(attached(p, buffers, host)));
  };
  w.work = work(p, known->ends.back());
  w.input = facts_of(solved, rows, known->ends.back());
  w.read_instruments = [offsets = p.offsets()](std::span<const std::uint64_t> counts) {
    return read_events(offsets, counts);
  };
  w.storage = known;
  return w;
}

}  // namespace ablate::kernel_map
