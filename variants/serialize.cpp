// serialize: points in space-filling-curve order, padded to patches. Axes, inputs, check against the oracle,
// locality of the orders and work model; one entry per variant.
#include "kernels/serialize/serialize.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>

#include "harness/registry/define.h"
#include "kernels/serialize/launches.h"
#include "oracles/serialize/checks.h"
#include "oracles/serialize/quality.h"
#include "oracles/serialize/reference.h"
#include "variants/cloud_axes.h"
#include "variants/cloud_batch.h"

namespace ablate::serialize {
namespace {

// In the order of the enumeration.
const std::vector<std::string> curve_words = {"z", "z_transposed", "hilbert", "hilbert_transposed"};

constexpr std::int32_t max_cells = std::int32_t{1} << max_depth;  // along an axis

std::optional<std::string> refuses(const axis_values& at) {
  if (auto reason = refuses_all_points(at)) return reason;
  const long points = at.integer("points");
  return points == 0 ? std::nullopt : refuses_batch(points, max_points, at);
}

std::vector<std::int32_t> grid_of(const std::vector<float>& points, const axis_values& at) {
  return grid_cells(points, least_of(points, at), static_cast<float>(at.integer("grid_mm")) / 1000, max_cells,
                    at);
}

/// Bits of the greatest grid coordinate. Needed at each launch, so it is cached for generated clouds, which
/// are the same each time.
int depth_at(const axis_values& at, const input_library& inputs) {
  const auto find = [&] {
    const std::vector<std::int32_t> grid = grid_of(batch_of(at, at.word("order"), inputs).xyz, at);
    const auto greatest = std::max_element(grid.begin(), grid.end());
    return greatest == grid.end() ? 0 : std::bit_width(static_cast<std::uint32_t>(*greatest));
  };
  const std::string& distribution = at.word("distribution");
  if (inputs.point_files().contains(distribution)) return find();
  static std::mutex mutex;
  static std::map<std::tuple<std::uint64_t, std::string, long, long, std::string, long>, int> found;
  const std::scoped_lock lock(mutex);
  const std::tuple cloud(inputs.seed(), distribution, at.integer("points"), at.integer("batch"),
                         at.word("sizes"), at.integer("grid_mm"));
  const auto known = found.find(cloud);
  return known != found.end() ? known->second : found.emplace(cloud, find()).first->second;
}

phase last_phase(const std::string& region) {
  if (region == "keys") return phase::keys;
  return region == "keys_sort" ? phase::sort : phase::patches;
}

problem problem_at(const axis_values& at, const input_library& inputs) {
  const std::string& distribution = at.word("distribution");
  const std::int64_t points = inputs.point_count(distribution, at.integer("points"));
  if (const auto reason = refuses_batch(points, max_points, at))
    throw input_unfit(fmt::format("distribution '{}'", distribution), fmt::format("{} points", points),
                      *reason);
  problem p;
  p.instances = static_cast<int>(at.integer("batch"));
  p.depth = depth_at(at, inputs);
  const auto curve_word = std::find(curve_words.begin(), curve_words.end(), at.word("curve"));
  if (curve_word == curve_words.end())
    p.curves = curve_count;
  else
    p.first_curve = static_cast<curve>(curve_word - curve_words.begin());
  p.patch = at.integer("patch");
  p.index_bytes = at.word("index") == "int32" ? 4 : 8;
  p.last = last_phase(at.word("region"));
  for (const std::int64_t size : instance_sizes(points, at)) {
    p.points += size;
    if (p.patch == 0) continue;
    p.slots += slots_of(size, p.patch);
    p.sequences += sequences_of(size, p.patch);
  }
  return p;
}

bound_buffers buffers(problem& p) {
  const auto points = static_cast<std::size_t>(p.points), index = static_cast<std::size_t>(p.index_bytes);
  const std::size_t on_curves = points * static_cast<std::size_t>(p.curves);
  const auto input = buffer_role::input, output = buffer_role::output;
  const auto poison = buffer_reset::poison;
  return {
      bind("grid", p.grid, 12 * points, input),
      bind("ends", p.ends, sizeof(std::uint32_t) * static_cast<std::size_t>(p.instances), input),
      bind("keys", p.keys, 8 * on_curves, output, poison),
      bind("order", p.order, p.does(phase::sort) ? index * on_curves : 0, output, poison),
      bind("inverse", p.inverse, p.does(phase::patches) ? index * on_curves : 0, output, poison),
      bind("pad", p.pad, p.pads() ? index * static_cast<std::size_t>(p.slots) : 0, output, poison),
      bind("unpad", p.unpad, p.pads() ? index * points : 0, output, poison),
      bind("cu_seqlens", p.cu_seqlens,
           p.pads() ? sizeof(std::int32_t) * static_cast<std::size_t>(p.sequences + 1) : 0, output, poison),
      bind("scratch", p.scratch, scratch_bytes(p), buffer_role::scratch, poison)};
}

/// The inputs on the host, and what is known about the answer.
struct known_inputs {
  std::vector<std::int32_t> grid;
  std::vector<std::uint32_t> ends;
  std::optional<answer> right;

  /// The problem on these inputs; its outputs stay.
  problem on_host(problem p) const {
    p.grid = grid.data();
    p.ends = ends.data();
    return p;
  }
};

// Compulsory bytes: each input once, each output once; traffic between the phases counts as free. A model
// beside it: a radix sort by digits of 8 bits, whose passes follow one another.
work_model work(const problem& p) {
  const auto points = static_cast<double>(p.points), on_curves = points * p.curves;
  double written = 8 * on_curves;
  if (p.does(phase::sort)) written += p.index_bytes * on_curves;
  if (p.does(phase::patches)) written += p.index_bytes * on_curves;
  if (p.pads())
    written +=
        p.index_bytes * (static_cast<double>(p.slots) + points) + 4 * (static_cast<double>(p.sequences) + 1);
  work_model out{.bytes = 12 * points + 4.0 * p.instances + written, .written_bytes = written};
  constexpr int digit_bits = 8;
  const int passes = p.does(phase::sort) ? (p.key_bits() + digit_bits - 1) / digit_bits : 0;
  const double moved = (8.0 + p.index_bytes) * on_curves;
  if (passes > 0)
    out.steps = {
        {.kind = "keys", .count = 1, .bytes = 12 * points + 8 * on_curves, .written_bytes = 8 * on_curves},
        {.kind = "radix_passes",
         .count = static_cast<double>(passes),
         .bytes = 2 * passes * moved,
         .written_bytes = passes * moved}};
  return out;
}

nlohmann::ordered_json quality(const problem& host, double cell_m) {
  const std::optional<double> cells = locality_rms_of(host);
  return {
      {"locality_rms_m", cells ? nlohmann::ordered_json(*cells * cell_m) : nlohmann::ordered_json(nullptr)}};
}

workload prepare(const problem& p, const axis_values& at, const input_library& inputs) {
  auto known = std::make_shared<known_inputs>();
  cloud_batch batch = batch_of(at, at.word("order"), inputs);
  known->grid = grid_of(batch.xyz, at);
  known->ends = std::move(batch.ends);
  known->right = answer(known->on_host(p));

  using host_pointers = std::span<const std::byte* const>;
  const double cell_m = static_cast<double>(at.integer("grid_mm")) / 1000;
  workload w;
  const auto grid_bytes = std::as_bytes(std::span(known->grid));
  w.contents =
      contents_of(p, buffers, {{"grid", grid_bytes}, {"ends", std::as_bytes(std::span(known->ends))}});
  w.check = [p, known](host_pointers outputs) -> check_result {
    const auto violation = violated(known->on_host(attached(p, buffers, outputs)), *known->right);
    return violation ? check_result{false, *violation} : check_result{.ok = true};
  };
  w.reference = [p, known](std::span<void* const> host) {
    reference(known->on_host(attached(p, buffers, host)));
  };
  w.work = work(p);
  w.input = {{"hash", hash_hex(grid_bytes.data(), grid_bytes.size())},
             {"points", p.points},
             {"instances", p.instances},
             {"depth", p.depth},
             {"key_bits", p.key_bits()},
             {"slots", p.slots},
             {"sequences", p.sequences}};
  w.input.update(batch.facts);
  w.quality = [p, known, cell_m](host_pointers outputs) {
    return quality(known->on_host(attached(p, buffers, outputs)), cell_m);
  };
  w.storage = known;
  return w;
}

/// `sorts`: each curve by itself, or all together; `items`: pairs of key and index, or both packed into one
/// word.
switches coded_by(const char* z, const char* hilbert, const char* sort_bits, const char* sorts = "each",
                  const char* items = "pairs") {
  return {{"z", z}, {"hilbert", hilbert}, {"sort_bits", sort_bits}, {"sorts", sorts}, {"sort_items", items}};
}

axis_conditions sorted() { return {{"region", {"all", "keys_sort"}}}; }
axis_conditions all_sorted() { return {{"region", {"all", "keys_sort"}}, {"curve", {"all"}}}; }

/// Packed words are sorted by their used bits alone, so they belong to sort_bits=used.
std::vector<switch_range> ranges_of_sorts() {
  return {{"sort_bits", {"used"}, 80, sorted()}, {"sorts", {"together"}, 80, all_sorted()}};
}

}  // namespace

const bool defined = define<problem>(
    {.name = "serialize",
     .description = "points in the order of space-filling curves, padded to patches",
     .axes = {axis::of_words(
                  "curve", {"all", "z", "z_transposed", "hilbert", "hilbert_transposed"},
                  "z-order or Hilbert curve, transposed with x and y exchanged; or the four at once"),
              axis::of_integers(
                  "patch", 0, 16384, 1024,
                  "points of a patch; an instance that is larger is padded to whole patches; 0 = no padding"),
              points_axis(1 << 22, 124087, "points of an instance"),
              axis::of_integers("batch", 1, max_instances, 1, "instances"), instance_sizes_axis(),
              distribution_axis("lidar"),
              axis::of_words("order", {"natural", "shuffled", "morton"},
                             "of the points: as generated or scanned, random, along a Morton curve"),
              axis::of_integers("grid_mm", 1, 10000, 50,
                                "edge of a grid cell, mm; 65536 cells along an axis at most"),
              axis::of_words("index", {"int64", "int32"}, "of the orders, their inverses and the padding"),
              axis::of_words("region", {"all", "keys", "keys_sort"},
                             "what is timed: keys, orders, their inverses and the padding; the keys alone; "
                             "keys and orders")},
     .baseline = "tables",
     .presets = {.published = {"tables"},
                 .best = {"states_used_bits+sort_items=packed",
                          "states_used_bits+sorts=together+sort_items=packed", "bits", "states"}},
     .problem = problem_at,
     .buffers = buffers,
     .prepare = prepare,
     .refuses = refuses,
     .switches = {{.name = "z",
                   .description = "how z-order codes are made",
                   .values = {{"tables", "by tables of 256 entries per axis, as published"},
                              {"shifts", "by shifts and masks"}},
                   .counter = "loads that hit L1, from 6 per code to none"},
                  {.name = "hilbert",
                   .description = "how Hilbert codes are made",
                   .values = {{"loop", "by Skilling's loop over the bits, as published"},
                              {"states",
                               "from the z-order code by a machine of 24 states, three bits per step"}},
                   .counter = "instructions issued, down; stalls on shared memory, up",
                   .source = "loop: Skilling, AIP Conf. Proc. 707, 2004"},
                  {.name = "sort_bits",
                   .description = "bits that a sort looks at",
                   .values = {{"64", "all, as published"}, {"used", "those that keys have"}},
                   .counter = "radix passes and DRAM bytes, down to one pass for each 8 used bits"},
                  {.name = "sorts",
                   .description = "sorts of the curves",
                   .values = {{"each", "one per curve, as published"},
                              {"together", "one, with the curve above the key"}},
                   .counter = "launches, to a fourth"},
                  {.name = "sort_items",
                   .description = "what a sort moves",
                   .values = {{"pairs", "a key and its point's number, 12 or 16 bytes"},
                              {"packed", "both in one word of 8 bytes; pairs where 64 bits do not suffice"}},
                   .counter = "DRAM bytes per radix pass, to 8 per point read and written"}},
     .variants = {
         {"tables",
          ABLATE_LAUNCH(tables),
          coded_by("tables", "loop", "64"),
          "z-order by tables of 256 entries, Hilbert by Skilling's loop, one 64-bit "
          "sort per curve, as published",
          {.takes = ranges_of_sorts()}},
         {"bits",
          ABLATE_LAUNCH(bits),
          coded_by("shifts", "loop", "64"),
          "z-order by shifts and masks, Hilbert by Skilling's loop, one 64-bit sort per curve",
          {.takes = ranges_of_sorts()}},
         {"states",
          ABLATE_LAUNCH(states),
          coded_by("shifts", "states", "64"),
          "z-order by shifts and masks, Hilbert from it by a machine of 24 states, one 64-bit sort per curve",
          {.takes = ranges_of_sorts()}},
         {"states_used_bits",
          ABLATE_LAUNCH(states),
          coded_by("shifts", "states", "used"),
          "Hilbert codes by a machine of 24 states; one sort per curve, over only the bits that keys have",
          {.only_where = sorted(),
           .takes = {{"sorts", {"together"}, 80, all_sorted()}, {"sort_items", {"packed"}}}}},
     }});

}  // namespace ablate::serialize
