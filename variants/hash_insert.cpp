// hash_insert: rows of voxel coordinates into a hash table. Axes, inputs, check of what is read back, and
// work model; one entry per variant.
#include "harness/inputs/clouds.h"
#include "kernels/hash_table/launches.h"
#include "oracles/hash_table/reference.h"
#include "variants/hash_table.h"
#include "variants/hash_table_switches.h"
#include "variants/hash_table_variants.h"
#include "variants/phases.h"

namespace ablate::hash_table {
namespace {

std::optional<std::string> refuses(const axis_values& at) { return refuses_table(at, distinct_at(at)); }

axis_values counted(const axis_values& at, const input_library& inputs) {
  return with_counted_rows(at, at.word("keys"), at.integer("multiplicity"), refuses, inputs);
}

problem problem_at(const axis_values& given, const input_library& inputs) {
  const axis_values at = counted(given, inputs);
  const std::string& region = at.word("region");
  problem p;
  p.rows = rows_at(at);
  p.slots = at.integer("slots");
  p.keeps_smallest = at.word("winner") == "smallest";
  p.first = region == "insert" ? phase::insert : phase::clear;
  p.last = region == "clear" ? phase::clear : phase::insert;
  return p;
}

std::optional<problem> ahead(const problem& p) {
  if (p.first == phase::clear) return std::nullopt;
  return in_phase(p, phase::clear);
}

bound_buffers buffers(problem& p) {
  const auto rows = static_cast<std::size_t>(p.rows);
  const auto output = buffer_role::output;
  const auto poison = buffer_reset::poison;
  return {bind("coordinates", p.coordinates, 16 * rows, buffer_role::input),
          bind("table", p.table, table_bytes(p.slots, p.rows), buffer_role::scratch, poison),
          bind("status", p.status, sizeof(std::int32_t), output, poison),
          bind("found", p.found, 4 * rows, output, poison),
          bind("summary", p.summary, 2 * sizeof(std::uint64_t), output, buffer_reset::zeros),
          bind("events", p.events, sizeof(unsigned long long) * event_words, buffer_role::instruments,
               buffer_reset::zeros)};
}

struct known_inputs {
  std::vector<std::int32_t> coordinates;
  row_classes classes;

  problem on_host(problem p) const {
    p.coordinates = coordinates.data();
    return p;
  }
};

// Compulsory for every layout: each coordinate read; for each key 8 bytes of a slot written (marker and row
// of the indirect table; 12 for the packed one), by one compare-and-swap that claims the slot; cleared slots
// are 8 bytes (the packed keys), including those that an insertion in the same region writes again.
//
// The compare-and-swaps make a model: insertion at random places, row after row. A variant that first groups
// rows by the part of the table that they go to (interleaved_partitioned) claims slots in L2, or in shared
// memory (interleaved_regions), and may beat it if the table is larger.
work_model work(const problem& p, std::int64_t distinct) {
  const std::int64_t keys = std::min(distinct, p.slots);
  work_model least;
  if (p.does(phase::insert)) {
    least.bytes = 16.0 * static_cast<double>(p.rows);
    least.random = {at_random("random_cas", keys, keys, p.slots)};
  }
  least.written_bytes = 8.0 * static_cast<double>(p.does(phase::clear) ? p.slots : keys);
  least.bytes += least.written_bytes;
  return least;
}

workload prepare(const problem& p, const axis_values& given, const input_library& inputs) {
  const axis_values at = counted(given, inputs);
  voxel_cloud rows = rows_of_table(at, inputs, at.word("order"), at.integer("multiplicity"));
  auto known = std::make_shared<known_inputs>();
  known->classes = classes_of(index_of(rows.coords.data(), p.rows), rows.coords.data(), p.rows);
  const std::string hash = hash_hex(rows.coords.data(), rows.coords.size() * sizeof(std::int32_t));

  workload w;
  w.input = facts_of_rows(rows, p, known->classes.distinct, hash);
  w.work = work(p, known->classes.distinct);
  known->coordinates = std::move(rows.coords);
  w.contents = contents_of(p, buffers, {{"coordinates", std::as_bytes(std::span(known->coordinates))}});
  w.check = [p, known](std::span<const std::byte* const> outputs) -> check_result {
    const auto violation =
        violated_by_insertion(known->on_host(attached(p, buffers, outputs)), known->classes);
    return violation ? check_result{false, *violation} : check_result{.ok = true};
  };
  w.reference = [p, known](std::span<void* const> host) {
    reference(known->on_host(attached(p, buffers, host)));
  };
  w.read_instruments = read_events;
  w.storage = known;
  return w;
}

const switches by_regions = {
    {"layout", "interleaved"}, {"hash", "splitmix"}, {"probe", "linear"}, {"insert", "shared_memory"}};
const switches by_counts = by_regions.with({{"build", "counted"}});
const switches with_pdl = by_counts.with({{"pdl", "on"}});

}  // namespace

const bool defined = define<problem>(
    {.name = "hash_insert",
     .description = "rows of voxel coordinates into a hash table, one of equal rows",
     .axes = {slots_axis(),
              axis::of_integers("load", 0, 200, 50, "rows in percent of the slots, copies included"),
              rows_axis(), keys_axis(), cell_axis(),
              axis::of_integers("multiplicity", 1, max_voxel_rows, 1, "rows with equal coordinates"),
              order_of_rows_axis(),
              axis::of_words("winner", {"any", "smallest"}, "which of equal rows the table keeps"),
              axis::of_words("region", {"insert", "clear_insert", "clear"}, "what is timed")},
     .baseline = "packed",
     .presets = {.published = {"packed"},
                 .best = {"interleaved_regions_pdl", "packed", "packed_load_first",
                          "interleaved_regions_clusters", "packed_double_hash", "packed_warp_deduplicated"}},
     .problem = problem_at,
     .buffers = buffers,
     .prepare = prepare,
     .refuses = [](const axis_values& at) { return refuses_before_counting(at, at.word("keys"), refuses); },
     .ahead = ahead,
     .readback = [](const problem& p) { return in_phase(p, phase::read_back); },
     .switches = switches_of_tables_and(
         {{"layout", {{"interleaved_whole", "key and row side by side, both claimed by one 128-bit atomic"}}},
          {"insert",
           {{"warp_deduplicated", "the lowest lane of a warp inserts for all lanes of its key"},
            {"shared_memory", "regions of slots are finished in shared memory and written once"}}}},
         {{.name = "partition",
           .description = "regions of the table that rows are sent to before they are inserted",
           .values = {{"32"}, {"off", "rows go straight to their slots"}},
           .counter =
               "DRAM bytes per row, from three random sectors to 48 bytes in sequence and the table once"},
          only_with(
              "insert", {"shared_memory"},
              {.name = "build",
               .description = "how the keys of a region find their slots in shared memory",
               .values = {{"counted", "the keys of each home slot are counted, and one scan places them all"},
                          {"off", "by probing"}},
               .counter = "warp instructions per row, down, hardly dependent on the load"}),
          {.name = "pdl",
           .description = "whether a kernel starts while the one before still runs: programmatic dependent "
                          "launch",
           .values = {{"on", "it does"}, {"off", "it waits"}},
           .counter = "time between kernels, to none"},
          only_with("insert", {"shared_memory"},
                    {.name = "cluster",
                     .description = "blocks of a cluster that reserve room in the regions' queues together",
                     .values = {{"8"}, {"off", "each block by itself"}},
                     .counter = "L2 atomics of reservations, down by the blocks of a cluster"})}),
     .variants = tables_and({
         {"packed_load_first",
          ABLATE_LAUNCH(probing_table),
          {{"layout", "packed"}, {"hash", "splitmix"}, {"probe", "linear"}, {"insert", "load_first"}},
          "packed keys, linear probing; each slot is read, and only an empty one is claimed"},
         {"packed_warp_deduplicated",
          ABLATE_LAUNCH(probing_table),
          {{"layout", "packed"}, {"hash", "splitmix"}, {"probe", "linear"}, {"insert", "warp_deduplicated"}},
          "packed keys, linear probing; one lane of a warp inserts for all lanes of its key"},
         in_flight4(
             "packed_in_flight4", "packed",
             "packed keys, linear probing; four rows per thread in flight, each slot read before it is claimed"),
         {"interleaved_load_first",
          ABLATE_LAUNCH(probing_table),
          {{"layout", "interleaved"}, {"hash", "splitmix"}, {"probe", "linear"}, {"insert", "load_first"}},
          "key and row side by side in 16-byte slots; each slot is read, and only an empty one is claimed"},
         in_flight4(
             "interleaved_in_flight4", "interleaved",
             "key and row side by side in 16-byte slots; four rows per thread in flight, each slot read before "
             "it is claimed"),
         {"interleaved_whole",
          ABLATE_LAUNCH(probing_table),
          {{"layout", "interleaved_whole"},
           {"hash", "splitmix"},
           {"probe", "linear"},
           {"insert", "cas_first"}},
          "16-byte slots; one 128-bit compare-and-swap per slot probed claims key and row together",
          {.minimum_compute_capability = 90}},
         {"interleaved_whole_load_first",
          ABLATE_LAUNCH(probing_table),
          {{"layout", "interleaved_whole"},
           {"hash", "splitmix"},
           {"probe", "linear"},
           {"insert", "load_first"}},
          "16-byte slots; each slot is read, and an empty one is claimed, key and row together, by a "
          "128-bit compare-and-swap",
          {.minimum_compute_capability = 90}},
         {"interleaved_partitioned",
          ABLATE_LAUNCH(partitioned),
          {{"layout", "interleaved_whole"},
           {"hash", "splitmix"},
           {"probe", "linear"},
           {"insert", "load_first"},
           {"partition", "32"}},
          "16-byte slots; rows are first sent to 32 regions of the table, then claimed region by region by "
          "128-bit compare-and-swaps, so that a region stays in L2",
          {.minimum_compute_capability = 90, .takes = {{"layout", {"interleaved", "packed"}}}}},
         {"interleaved_regions",
          ABLATE_LAUNCH(interleaved_regions),
          by_regions,
          "16-byte slots; rows are dealt to regions of 8192 slots, each finished in shared memory and "
          "written once, so nothing is cleared",
          {.takes = {{"pdl", {"on"}, 90}, {"cluster", {"8"}, 90}}}},
         {"interleaved_regions_counted",
          ABLATE_LAUNCH(interleaved_regions),
          by_counts,
          "regions of 8192 slots finished in shared memory, with keys placed by counting those of each home "
          "slot instead of probing",
          {.takes = {{"cluster", {"8"}, 90}}}},
         {"interleaved_regions_pdl",
          ABLATE_LAUNCH(interleaved_regions),
          with_pdl,
          "regions of 8192 slots finished in shared memory by counting; each launch begins while the one "
          "before it ends",
          {.minimum_compute_capability = 90}},
         {"interleaved_regions_clusters",
          ABLATE_LAUNCH(interleaved_regions),
          with_pdl.with({{"cluster", "8"}}),
          "regions of 8192 slots finished in shared memory by counting, with with_pdl launches; clusters "
          "of eight dealing blocks reserve their places together",
          {.minimum_compute_capability = 90}},
     })});

}  // namespace ablate::hash_table
