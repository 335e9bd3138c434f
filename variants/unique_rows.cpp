// unique_rows: one row for each set of rows with equal coordinates, ascending. Axes, inputs, check against
// the oracle and work model; one entry per variant.
#include "kernels/unique_rows/unique_rows.h"
#include "harness/inputs/clouds.h"

#include "kernels/unique_rows/launches.h"
#include "oracles/unique_rows/checks.h"
#include "oracles/unique_rows/reference.h"
#include "variants/hash_table.h"
#include "variants/phases.h"

namespace ablate::unique_rows {
namespace {

std::optional<std::string> refuses(const axis_values& at) {
  const std::int64_t distinct = hash_table::distinct_at(at);
  if (distinct > at.integer("slots"))
    return fmt::format("{} distinct rows in {} slots: expected a slot for each", distinct,
                       at.integer("slots"));
  return hash_table::refuses_table(at, distinct);
}

axis_values counted(const axis_values& at, const input_library& inputs) {
  return hash_table::with_counted_rows(at, at.word("keys"), at.integer("multiplicity"), refuses, inputs);
}

problem problem_at(const axis_values& given, const input_library& inputs) {
  const axis_values at = counted(given, inputs);
  problem p;
  p.rows = hash_table::rows_at(at);
  p.slots = at.integer("slots");
  p.keeps_smallest = at.word("winner") == "smallest";
  p.first = at.word("region") == "unique" ? phase::unique : phase::build;
  return p;
}

std::optional<problem> ahead(const problem& p) {
  if (p.first == phase::build) return std::nullopt;
  return in_phase(p, phase::build);
}

bound_buffers buffers(problem& p) {
  const auto rows = static_cast<std::size_t>(p.rows);
  const auto output = buffer_role::output, scratch = buffer_role::scratch;
  const auto poison = buffer_reset::poison;
  return {bind("coordinates", p.coordinates, 16 * rows, buffer_role::input),
          bind("list", p.list, 4 * rows, output, poison),
          bind("count", p.count, sizeof(std::int32_t), output, poison),
          bind("status", p.status, sizeof(std::int32_t), output, poison),
          bind("table", p.table, table_bytes(p), scratch, poison),
          bind("scratch", p.scratch, scratch_bytes(p), scratch, poison),
          bind("events", p.events, sizeof(unsigned long long) * hash_table::event_words,
               buffer_role::instruments, buffer_reset::zeros)};
}

struct known_inputs {
  std::vector<std::int32_t> coordinates;
  hash_table::row_classes classes;

  problem on_host(problem p) const {
    p.coordinates = coordinates.data();
    return p;
  }
};

// Compulsory with or without a table: each coordinate read, each listed row written. If the table already
// exists, at least the listed rows are read from it.
work_model work(const problem& p, std::int64_t distinct) {
  const double read =
      p.does(phase::build) ? 16.0 * static_cast<double>(p.rows) : 4.0 * static_cast<double>(distinct);
  const double listed = 4.0 * static_cast<double>(distinct);
  return {.bytes = read + listed, .written_bytes = listed};
}

workload prepare(const problem& p, const axis_values& given, const input_library& inputs) {
  const axis_values at = counted(given, inputs);
  voxel_cloud rows = hash_table::rows_of_table(at, inputs, at.word("order"), at.integer("multiplicity"));
  auto known = std::make_shared<known_inputs>();
  known->classes =
      hash_table::classes_of(hash_table::index_of(rows.coords.data(), p.rows), rows.coords.data(), p.rows);
  const std::string hash = hash_hex(rows.coords.data(), rows.coords.size() * sizeof(std::int32_t));

  workload w;
  hash_table::problem of_table;
  of_table.rows = p.rows;
  of_table.slots = p.slots;
  w.input = hash_table::facts_of_rows(rows, of_table, known->classes.distinct, hash);
  w.work = work(p, known->classes.distinct);
  known->coordinates = std::move(rows.coords);
  w.contents = contents_of(p, buffers, {{"coordinates", std::as_bytes(std::span(known->coordinates))}});
  w.check = [p, known](std::span<const std::byte* const> outputs) -> check_result {
    const auto violation = violated(known->on_host(attached(p, buffers, outputs)), known->classes);
    return violation ? check_result{false, *violation} : check_result{.ok = true};
  };
  w.reference = [p, known](std::span<void* const> host) {
    reference(known->on_host(attached(p, buffers, host)));
  };
  w.read_instruments = hash_table::read_events;
  w.storage = known;
  return w;
}

/// Computed while the table is built, or without one.
axis_conditions whole() { return {{"region", {"all"}}}; }
axis_conditions whole_and_any() { return {{"region", {"all"}}, {"winner", {"any"}}}; }

}  // namespace

const bool defined = define<problem>(
    {.name = "unique_rows",
     .description = "of rows with equal voxel coordinates one each, ascending",
     .axes = {hash_table::slots_axis(),
              axis::of_integers("load", 0, 3200, 50, "rows in percent of the slots, copies included"),
              hash_table::rows_axis(), hash_table::keys_axis(), hash_table::cell_axis(),
              axis::of_integers("multiplicity", 1, max_voxel_rows, 8, "rows with equal coordinates"),
              hash_table::order_of_rows_axis(),
              axis::of_words("winner", {"any", "smallest"}, "which of equal rows is listed"),
              axis::of_words("region", {"all", "unique"},
                             "what is timed: clearing a table, inserting the rows and listing; or the list "
                             "alone, of a table that was built ahead")},
     .baseline = "search_back",
     .presets = {.published = {"search_back"},
                 .best = {"flag_winners_load_first", "flag_winners", "flag_slots"}},
     .problem = problem_at,
     .buffers = buffers,
     .prepare = prepare,
     .refuses =
         [](const axis_values& at) {
           return hash_table::refuses_before_counting(at, at.word("keys"), refuses);
         },
     .ahead = ahead,
     .keeps_ahead = true,
     .switches = {{.name = "insert",
                   .description = "how a row claims its slot of the table",
                   .values = {{"cas_first", "a compare-and-swap at every slot probed, as published"},
                              {"load_first", "each slot is read, and only an empty one is claimed"},
                              {"none", "no table: keys are sorted"}},
                   .counter = "atomics per row, from one per slot probed to one per distinct row, or to none",
                   .source = "WarpConvNet documentation, \"Packed Hash Table\""},
                  {.name = "mark",
                   .description = "what tells which rows are kept",
                   .values = {{"search", "the table is searched for each row, as published"},
                              {"slots", "the slots are read in sequence"},
                              {"insertion", "a row that claims a slot is kept; nothing is read again"},
                              {"runs", "the first of each run of equal keys, once sorted"}},
                   .counter = "random sectors per row, from two to none beyond those of the insertion"},
                  {.name = "list",
                   .description = "how kept rows become an ascending list",
                   .values = {{"sort", "their numbers are sorted and duplicates dropped, as published"},
                              {"select",
                               "a byte per row flags them, and flagged rows are selected in one scan"}},
                   .counter = "DRAM bytes per row, from 8 for each 8 bits sorted to one read"}},
     .variants = {
         {"search_back",
          ABLATE_LAUNCH(from_table),
          {{"insert", "cas_first"}, {"mark", "search"}, {"list", "sort"}},
          "the table is searched for each of its rows, the answers are sorted, and "
          "duplicates dropped, as published",
          {.takes = {{"insert", {"load_first"}}}}},
         {"flag_found",
          ABLATE_LAUNCH(from_table),
          {{"insert", "cas_first"}, {"mark", "search"}, {"list", "select"}},
          "the table is searched for each of its rows; the rows found are flagged and selected",
          {.takes = {{"insert", {"load_first"}}}}},
         {"flag_slots",
          ABLATE_LAUNCH(from_table),
          {{"insert", "cas_first"}, {"mark", "slots"}, {"list", "select"}},
          "the slots of the table are read in sequence; the rows found are flagged and selected, without a "
          "search",
          {.takes = {{"insert", {"load_first"}}}}},
         {"flag_winners",
          ABLATE_LAUNCH(from_table),
          {{"insert", "cas_first"}, {"mark", "insertion"}, {"list", "select"}},
          "rows are flagged as they claim a slot, then selected; nothing is read again",
          {.only_where = whole_and_any()}},
         {"flag_winners_load_first",
          ABLATE_LAUNCH(from_table),
          {{"insert", "load_first"}, {"mark", "insertion"}, {"list", "select"}},
          "rows are flagged as they claim a slot, which they read first, then selected; nothing is read "
          "again",
          {.only_where = whole_and_any()}},
         {"sort",
          ABLATE_LAUNCH(sort),
          {{"insert", "none"}, {"mark", "runs"}, {"list", "select"}},
          "no table: packed keys sorted with their rows, the first row of each run flagged and selected",
          {.only_where = whole()}},
     }});

}  // namespace ablate::unique_rows
