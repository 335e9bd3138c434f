// coordinate_expand: the set of base rows translated by every offset of a kernel. Axes, inputs, check against
// the oracle and work model; one entry per variant.
#include "kernels/coordinate_expand/coordinate_expand.h"
#include "harness/inputs/clouds.h"

#include <map>
#include <mutex>
#include <tuple>

#include "kernels/coordinate_expand/launches.h"
#include "oracles/coordinate_expand/checks.h"
#include "oracles/coordinate_expand/launches.h"
#include "oracles/coordinate_expand/reference.h"
#include "variants/convolution_kernel.h"
#include "variants/hash_table.h"
#include "variants/phases.h"
#include "variants/voxel_facts.h"

namespace ablate::coordinate_expand {
namespace {

constexpr std::int64_t max_memory_bytes = std::int64_t{16} << 30;
constexpr std::int64_t max_candidates = std::int64_t{1} << 28;
/// In a table that is too small, each candidate visits all slots.
constexpr std::int64_t max_candidates_when_full = 1 << 17;
constexpr long load_of_the_rule = 50;

std::array<int, 3> kernel_at(const axis_values& at) { return convolution_kernel(at.word("kernel")); }

std::int64_t candidates_at(const axis_values& at) {
  const std::array<int, 3> kernel = kernel_at(at);
  return std::int64_t{at.integer("rows")} * kernel[0] * kernel[1] * kernel[2];
}

std::optional<std::string> refuses(const axis_values& at) {
  const std::int64_t candidates = candidates_at(at);
  if (candidates > max_candidates)
    return fmt::format("{} sums of base row and offset: at most {}", candidates, max_candidates);
  if (at.integer("load") > 100 && candidates > max_candidates_when_full)
    return fmt::format("{} sums for a table that is too small: at most {}, each visits all of its slots",
                       candidates, max_candidates_when_full);
  if (at.word("growth") != "none" &&
      (at.integer("load") != load_of_the_rule || at.integer("store_room") != 100))
    return fmt::format("growth={} makes its own room: load={} and store_room=100 only", at.word("growth"),
                       load_of_the_rule);
  if (at.word("scene") == "adversarial" && at.integer("rows") > hash_table::max_adversarial_keys)
    return fmt::format("scene=adversarial for {} rows: at most {}, each visits half as many slots",
                       at.integer("rows"), hash_table::max_adversarial_keys);
  return std::nullopt;
}

voxel_cloud base_at(const axis_values& at, const input_library& inputs) {
  const axis_values rows = {{"keys", at.word("scene")},
                            {"rows", at.word("rows")},
                            {"cell_cm", at.word("cell_cm")},
                            {"slots", "0"},
                            {"load", "0"}};
  return hash_table::rows_of_table(rows, inputs, at.word("order"), 1);
}

/// The expected set. Needed at each launch for the sizes of table and store, so it is cached for generated
/// scenes: those are the same each time, and the same set in every order.
expanded_set set_at(const axis_values& at, const input_library& inputs) {
  const bool guards = at.word("range") == "guard";
  const auto find = [&] {
    const voxel_cloud base = base_at(at, inputs);
    return expand(base.coords.data(), base.rows(), kernel_at(at), guards);
  };
  if (inputs.point_files().contains(at.word("scene"))) return find();
  static std::mutex mutex;
  static std::map<std::tuple<std::uint64_t, std::string, long, std::string, bool>, expanded_set> found;
  const std::scoped_lock lock(mutex);
  const std::tuple key(inputs.seed(), at.word("scene"), at.integer("rows"), at.word("kernel"), guards);
  const auto known = found.find(key);
  return known != found.end() ? known->second : found.emplace(key, find()).first->second;
}

growth growth_at(const axis_values& at) {
  const std::string& word = at.word("growth");
  return word == "none" ? growth::none : word == "bound" ? growth::bound : growth::retry;
}

/// Initial and maximal sizes for a set of this many rows.
void make_room(problem& p, const axis_values& at, std::int64_t rows) {
  if (p.grows == growth::none) {
    const long load = at.integer("load");
    const auto slots_needed = static_cast<std::uint64_t>((rows * 100 + load - 1) / load);
    p.slots = static_cast<std::int64_t>(std::bit_ceil(std::max(slots_needed, std::uint64_t{16})));
    p.capacity = rows * at.integer("store_room") / 100;
    p.max_slots = p.slots;
    p.max_rows = p.capacity;
    return;
  }
  p.slots = slots_at_half_load(2 * p.rows);
  const bool by_bound = p.grows == growth::bound;
  const std::int64_t at_most = by_bound ? rows + p.rows * p.chunk : rows;
  p.capacity = by_bound ? p.rows : p.slots / 2;
  p.max_slots = std::max(p.slots, slots_at_half_load(at_most));
  p.max_rows = by_bound ? at_most : p.max_slots / 2;
}

axis_values counted(const axis_values& at, const input_library& inputs) {
  return hash_table::with_counted_rows(at, at.word("scene"), 1, refuses, inputs);
}

checked_problem problem_at(const axis_values& given, const input_library& inputs) {
  const axis_values at = counted(given, inputs);
  checked_problem p;
  p.rows = at.integer("rows");
  p.kernel = kernel_at(at);
  p.guards = at.word("range") == "guard";
  const std::string& chunk = at.word("chunk");
  p.chunk = chunk == "one" ? 1 : chunk == "row" ? p.offsets() / p.kernel[0] : p.offsets();
  p.grows = growth_at(at);
  make_room(p, at, set_at(at, inputs).rows);
  p.may_sort = p.grows == growth::none && chunk == "all" && p.guards;
  p.first = at.word("region") == "expand" ? phase::expand : phase::base;
  const std::int64_t bytes =
      static_cast<std::int64_t>(table_bytes(p) + scratch_bytes(p)) + 16 * (p.rows + p.max_rows);
  if (bytes > max_memory_bytes)
    throw input_unfit(fmt::format("scene '{}'", at.word("scene")), fmt::format("{} rows", p.rows),
                      fmt::format("growth={}, chunk={}: table and rows need {:.1f} GiB, expected at most {}",
                                  at.word("growth"), chunk, static_cast<double>(bytes) / (1 << 30),
                                  max_memory_bytes >> 30));
  return p;
}

region_clock clock(const problem& p) {
  return p.grows == growth::none ? region_clock::device : region_clock::host;
}

std::optional<checked_problem> ahead(const checked_problem& p) {
  if (p.first == phase::base) return std::nullopt;
  return in_phase(p, phase::base);
}

bound_buffers buffers(checked_problem& p) {
  const auto output = buffer_role::output, scratch = buffer_role::scratch;
  const auto poison = buffer_reset::poison;
  return {bind("base", p.base, 16 * static_cast<std::size_t>(p.rows), buffer_role::input),
          bind("result", p.result, sizeof(outcome), output, poison),
          bind("figures", p.figures, sizeof(std::uint64_t) * figure_count, output, poison),
          bind("table", p.table, table_bytes(p), scratch, poison),
          // Too large for the host: the check reads only its figures.
          bind("store", p.store, 16 * static_cast<std::size_t>(p.max_rows), scratch, poison),
          bind("scratch", p.scratch, scratch_bytes(p), scratch, poison),
          bind("events", p.events, sizeof(unsigned long long) * hash_table::event_words,
               buffer_role::instruments, buffer_reset::zeros)};
}

struct known_inputs {
  std::vector<std::int32_t> base;
  expanded_set set;

  checked_problem on_host(checked_problem p) const {
    p.base = base.data();
    return p;
  }
};

// Compulsory: each base row read; for each new row 16 bytes in the store and 8 of a slot (its key) written,
// by one compare-and-swap that claims the slot. Starting from an empty table every row is new, and the slots
// are cleared, 8 bytes each, including those written again later; if the table grows, at least the claimed
// ones.
work_model work(const problem& p, std::int64_t rows_of_set) {
  const bool whole = p.does(phase::base);
  const std::int64_t added = whole ? rows_of_set : rows_of_set - p.rows;
  const std::int64_t claimed = std::min(added, p.max_slots), stored = std::min(added, p.max_rows);
  const std::int64_t slots_written = whole && p.grows == growth::none ? p.slots : claimed;
  work_model least;
  least.written_bytes = 16.0 * static_cast<double>(stored) + 8.0 * static_cast<double>(slots_written);
  least.bytes = 16.0 * static_cast<double>(p.rows) + least.written_bytes;
  least.random = {hash_table::at_random("random_cas", claimed, claimed, p.max_slots),
                  hash_table::at_random("random_read_sectors", p.candidates(),
                                        std::min(rows_of_set, p.max_slots), p.max_slots)};
  return least;
}

nlohmann::ordered_json facts_of(const voxel_cloud& rows, const problem& p, const expanded_set& set) {
  const auto share = [](std::int64_t a, std::int64_t b) -> nlohmann::ordered_json {
    if (b == 0) return nullptr;
    return static_cast<double>(a) / static_cast<double>(b);
  };
  nlohmann::ordered_json facts = {
      {"hash", hash_hex(rows.coords.data(), rows.coords.size() * sizeof(std::int32_t))},
      {"rows", p.rows},
      {"offsets", p.offsets()},
      {"offsets_of_a_step", p.chunk},
      {"candidates", p.candidates()},
      {"rows_of_set", set.rows},
      {"rows_per_base_row", share(set.rows, p.rows)},
      {"candidates_per_row_of_set", share(p.candidates(), set.rows)},
      {"slots", p.slots},
      {"most_slots", p.max_slots},
      {"store_rows", p.max_rows},
      {"load", share(std::min(set.rows, p.max_slots), p.max_slots)}};
  add_facts_of(rows, facts);
  return facts;
}

/// Figures of the instrumented form; null if the variant has none. Repeated steps count again.
nlohmann::ordered_json read_events(std::int64_t candidates, std::span<const std::uint64_t> counts) {
  using hash_table::event;
  const auto insertions = counts[event::operations];
  if (insertions == 0) return nullptr;
  const auto per = [](std::uint64_t a, std::uint64_t b) {
    return static_cast<double>(a) / static_cast<double>(b);
  };
  const auto probes = counts[event::probes_of_hits] + counts[event::probes_of_misses];
  return {{"candidates", candidates},
          {"insertions", insertions},
          {"new_rows", insertions - counts[event::hits]},
          {"present_share", per(counts[event::hits], insertions)},
          {"probes", probes},
          {"probes_per_insertion", per(probes, insertions)},
          {"longest", counts[event::longest]},
          {"atomics", counts[event::atomics]},
          {"atomics_per_candidate", per(counts[event::atomics], static_cast<std::uint64_t>(candidates))}};
}

workload prepare(const checked_problem& p, const axis_values& given, const input_library& inputs) {
  const axis_values at = counted(given, inputs);
  voxel_cloud rows = base_at(at, inputs);
  auto known = std::make_shared<known_inputs>();
  known->set = set_at(at, inputs);

  workload w;
  w.input = facts_of(rows, p, known->set);
  w.work = work(p, known->set.rows);
  known->base = std::move(rows.coords);
  w.contents = contents_of(p, buffers, {{"base", std::as_bytes(std::span(known->base))}});
  w.check = [p, known](std::span<const std::byte* const> outputs) -> check_result {
    const auto violation = violated(known->on_host(attached(p, buffers, outputs)), known->set);
    return violation ? check_result{false, *violation} : check_result{.ok = true};
  };
  w.reference = [p, known](std::span<void* const> host) {
    reference(known->on_host(attached(p, buffers, host)));
  };
  w.read_instruments = [candidates = p.candidates()](std::span<const std::uint64_t> counts) {
    return read_events(candidates, counts);
  };
  w.storage = known;
  return w;
}

axis scene_axis() {
  axis scene = hash_table::keys_axis();
  scene.name = "scene";
  scene.description =
      "the base rows' voxels: a scene, the corners of the range in batches 0, 1, 510 and 511 (faces); or the "
      "name of a point file";
  scene.default_value = "lidar_10cm";
  return scene;
}

axis rows_axis() {
  axis rows =
      axis::of_integers("rows", 0, max_voxel_rows, 100000, "base voxels, distinct; all of a point file");
  rows.words = {"all"};
  return rows;
}

/// All sums in one go, none of them wrapped.
axis_conditions at_once() {
  return {{"region", {"all"}}, {"growth", {"none"}}, {"chunk", {"all"}}, {"range", {"guard"}}};
}

}  // namespace

const bool defined = define<problem, checked_problem>(
    {.name = "coordinate_expand",
     .description = "base voxels moved by every offset of a kernel: each voxel that comes out once, in a row "
                    "store and a hash table",
     .axes =
         {scene_axis(), rows_axis(),
          axis::of_words("kernel",
                         {"3", "5", "1", "2", "4", "3x3x5", "9x5x3", "13x13x1", "1x11x13", "5x25x1"},
                         "offsets along x, y and z; one number for all three"),
          axis::of_words("order", {"scan", "shuffled", "morton"},
                         "of the base rows: as generated or scanned, random, along a Morton curve"),
          axis::of_words("chunk", {"row", "one", "all"},
                         "offsets of a step: those of one x, as published; one; all"),
          axis::of_words(
              "growth", {"none", "bound", "retry"},
              "none: table and store are there for the true result, and nothing is read (device time). Else "
              "the host's time, which reads the count after each step: both are made for the worst case "
              "before a step (bound), as published; or a step that fills them is repeated on more (retry)"),
          axis::of_words(
              "range", {"guard", "wrap"},
              "of sums beyond a key's range: left out; or they come round to the other side, as published"),
          hash_table::cell_axis(),
          axis::of_integers("load", 5, 400, load_of_the_rule,
                            "with growth=none: rows of the result in percent of the table's slots, or fewer: "
                            "slots are a power of two"),
          axis::of_integers(
              "store_room", 0, 100, 100,
              "with growth=none: rows that the store has room for, in percent of those of the result"),
          axis::of_words("region", {"all", "expand"},
                         "what is timed: clearing the table, inserting the base rows and expanding; or the "
                         "expansion alone")},
     .baseline = "cas_first",
     .presets = {.published = {"cas_first"},
                 .best = {"load_first", "load_first_aggregated", "cas_first", "warp_deduplicated"}},
     .problem = problem_at,
     .buffers = buffers,
     .prepare = prepare,
     .refuses =
         [](const axis_values& at) {
           return hash_table::refuses_before_counting(at, at.word("scene"), refuses);
         },
     .ahead = ahead,
     .clock = clock,
     .compare = ABLATE_LAUNCH(sum_figures),
     .switches =
         {{.name = "insert",
           .description = "how a sum gets into the table",
           .values = {{"cas_first", "a compare-and-swap at every slot probed, as published"},
                      {"load_first", "each slot is read, and only an empty one is claimed"},
                      {"warp_deduplicated", "one lane of a warp inserts for all lanes of its sum"},
                      {"sorted", "all sums are sorted, and those that are left inserted once"}},
           .counter = "atomics per sum, from one per slot probed to one per new row; key reads, down where a "
                      "warp's sums are equal",
           .source = "WarpConvNet documentation, \"Packed Hash Table\", generative expansion"},
          {.name = "partition",
           .description = "which sums a warp forms",
           .values = {{"by_offset", "of 32 base rows and one offset, all distinct, as published"},
                      {"by_row", "of a few base rows and all offsets of a step, many of them equal"}},
           .counter = "sectors of keys per request, down where rows are neighbors"},
          {.name = "number",
           .description = "how new rows get their numbers",
           .values = {{"each", "by an addition each; ptxas merges those of lanes that arrive together"},
                      {"one_by_one", "by an increment each, which ptxas does not merge"},
                      {"by_warp", "by one addition per warp"},
                      {"by_order", "by their place among the sorted keys"}},
           .counter = "L2 atomics on the one counter, from one per new row to one per warp"}},
     .variants = {
         {"cas_first",
          ABLATE_LAUNCH(insert),
          {{"insert", "cas_first"}, {"partition", "by_offset"}, {"number", "each"}},
          "a compare-and-swap at each slot that a sum probes, as published",
          {.takes = {{"number", {"by_warp"}}}}},
         {"load_first",
          ABLATE_LAUNCH(insert),
          {{"insert", "load_first"}, {"partition", "by_offset"}, {"number", "each"}},
          "each slot is read before it is claimed, so a sum that is present needs no atomic"},
         {"load_first_one_by_one",
          ABLATE_LAUNCH(insert),
          {{"insert", "load_first"}, {"partition", "by_offset"}, {"number", "one_by_one"}},
          "each slot is read before it is claimed; one increment per new row number, which the compiler "
          "does not merge as it does additions"},
         {"load_first_aggregated",
          ABLATE_LAUNCH(insert),
          {{"insert", "load_first"}, {"partition", "by_offset"}, {"number", "by_warp"}},
          "each slot is read before it is claimed; row numbers are drawn by one addition per warp",
          {.takes = {{"partition", {"by_row"}}}}},
         {"load_first_by_row",
          ABLATE_LAUNCH(insert),
          {{"insert", "load_first"}, {"partition", "by_row"}, {"number", "each"}},
          "each slot is read before it is claimed; a warp takes all offsets of a step for a few rows",
          {.takes = {{"insert", {"cas_first"}}}}},
         {"warp_deduplicated",
          ABLATE_LAUNCH(insert),
          {{"insert", "warp_deduplicated"}, {"partition", "by_row"}, {"number", "each"}},
          "a warp takes all offsets of a step for a few rows; one lane inserts for all lanes of its sum"},
         {"sort",
          ABLATE_LAUNCH(sort),
          {{"insert", "sorted"}, {"partition", "by_offset"}, {"number", "by_order"}},
          "packed keys of all sums sorted, duplicates dropped, and the rest inserted",
          {.only_where = at_once()},
          ABLATE_LAUNCH(sum_figures_by_key)},
     }});

}  // namespace ablate::coordinate_expand
