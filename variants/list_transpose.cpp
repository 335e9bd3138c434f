// list_transpose: lists of key blocks turned around, to the query blocks that name each. Axes, inputs,
// check against the oracle and work model; one entry per variant.
#include "kernels/list_transpose/list_transpose.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <memory>
#include <vector>

#include "harness/registry/define.h"
#include "kernels/list_transpose/launches.h"
#include "oracles/list_transpose/reference.h"
#include "variants/image_blocks.h"
#include "variants/list_axes.h"

namespace ablate::list_transpose {
namespace {

std::optional<std::string> refuses(const axis_values& at) {
  if (auto reason = refuses_blocks(layout_at(at))) return reason;
  return refuses_length_of_lists(at);
}

problem problem_at(const axis_values& at, const input_library&) {
  problem p;
  p.heads = at.integer("heads");
  p.blocks = layout_at(at).blocks();
  p.selected = static_cast<int>(at.integer("selected"));
  p.order = at.word("rows") == "ordered" ? row_order::ascending : row_order::any;
  return p;
}

bound_buffers buffers(problem& p) {
  const auto output = buffer_role::output, scratch = buffer_role::scratch;
  const auto poison = buffer_reset::poison;
  const auto entries = sizeof(std::int32_t) * static_cast<std::size_t>(p.entries());
  return {bind("table", p.table, entries, buffer_role::input),
          bind("offsets", p.offsets, sizeof(std::int64_t) * static_cast<std::size_t>(p.rows() + 1), output,
               poison),
          bind("queries", p.queries, entries, output, poison),
          bind("count_memory", p.count_memory, count_memory_bytes(p), scratch, poison),
          bind("sort_memory", p.sort_memory, sort_memory_bytes(p), scratch, poison)};
}

struct known_rows {
  std::vector<std::int32_t> table, queries;
  std::vector<std::int64_t> offsets;
};

/// What is wrong with a row whose beginning and end are right, if anything.
std::optional<std::string> fault_of_row(const problem& p, const known_rows& known, std::int64_t row,
                                        const std::int32_t* seen_queries) {
  const std::int64_t first = known.offsets[static_cast<std::size_t>(row)],
                     end = known.offsets[static_cast<std::size_t>(row) + 1];
  std::vector<std::int32_t> seen(seen_queries + first, seen_queries + end);
  if (p.order == row_order::any) std::ranges::sort(seen);
  for (std::size_t i = 0; i < seen.size(); ++i)
    if (const std::int32_t right = known.queries[static_cast<std::size_t>(first) + i]; seen[i] != right)
      return fmt::format("head {}, key block {}: query block {} of {}{} is {}, expected {}", row / p.blocks,
                         row % p.blocks, i, seen.size(), p.order == row_order::any ? ", in order," : "",
                         seen[i], right);
  return std::nullopt;
}

check_result check(const problem& p, const known_rows& known, const problem& seen) {
  for (std::int64_t row = 0; row <= p.rows(); ++row)
    if (const std::int64_t right = known.offsets[static_cast<std::size_t>(row)]; seen.offsets[row] != right)
      return {false, fmt::format("offset of row {} of {}: {}, expected {}", row, p.rows(), seen.offsets[row],
                                 right)};
  for (std::int64_t row = 0; row < p.rows(); ++row)
    if (auto fault = fault_of_row(p, known, row, seen.queries)) return {false, *fault};
  return {.ok = true};
}

// Compulsory: the table read, the rows and where they begin written.
work_model work(const problem& p, std::int64_t taken) {
  const double written = 4.0 * static_cast<double>(taken) + 8.0 * static_cast<double>(p.rows() + 1);
  return {.bytes = 4.0 * static_cast<double>(p.entries()) + written, .written_bytes = written};
}

nlohmann::ordered_json facts_of(const problem& p, const known_rows& known) {
  std::int64_t longest = 0, empty = 0;
  for (std::size_t row = 1; row < known.offsets.size(); ++row) {
    const std::int64_t length = known.offsets[row] - known.offsets[row - 1];
    longest = std::max(longest, length);
    empty += length == 0;
  }
  const std::int64_t taken = known.offsets.back();
  return {{"hash", hash_hex(known.table.data(), known.table.size() * sizeof(std::int32_t))},
          {"blocks", p.blocks},
          {"entries", taken},
          {"mean_row", static_cast<double>(taken) / static_cast<double>(p.rows())},
          {"longest_row", longest},
          {"empty_rows", empty}};
}

workload prepare(const problem& p, const axis_values& at, const input_library& inputs) {
  auto known = std::make_shared<known_rows>();
  known->table = table_of(lists_at(at, p.blocks, inputs.seed()), p.heads);
  known->queries.resize(known->table.size());
  known->offsets.resize(static_cast<std::size_t>(p.rows() + 1));
  problem on_host = p;
  on_host.table = known->table.data();
  on_host.offsets = known->offsets.data();
  on_host.queries = known->queries.data();
  reference(on_host);

  workload w;
  w.contents = contents_of(p, buffers, {{"table", std::as_bytes(std::span(known->table))}});
  w.check = [p, known](std::span<const std::byte* const> outputs) {
    return check(p, *known, attached(p, buffers, outputs));
  };
  w.reference = [p, known](std::span<void* const> addresses) {
    problem on_host = attached(p, buffers, addresses);
    on_host.table = known->table.data();
    reference(on_host);
  };
  w.work = work(p, known->offsets.back());
  w.input = facts_of(p, *known);
  w.storage = known;
  return w;
}

const switches pairs = {{"method", "sort"}, {"word", "pair"}, {"ends", "one_block_a_head"}};
const switches words = {{"method", "sort"}, {"word", "64"}, {"ends", "neighbors"}};
const switches by_counts = {{"method", "count"}, {"ranks", "second_atomic"}, {"rows", "ordered"}};
const variant_limits counts_alone = {.without = {"sort_memory"}};
const variant_limits in_any_order = {.only_where = {{"rows", {"any"}}}, .without = {"sort_memory"}};

}  // namespace

const bool defined = define<problem>(
    {.name = "list_transpose",
     .description = "lists of key blocks turned around, to the query blocks that name each",
     .axes = {images_axis(), heads_axis(), block_axis("tokens of a block, of queries and of keys"),
              length_of_lists_axis(), order_of_entries_axis(), fullness_axis(), popularity_axis(),
              axis::of_words(
                  "rows", {"ordered", "any"},
                  "order of a row's query blocks: ascending, or any, which may differ in each run")},
     .baseline = "published",
     .presets = {.published = {"published"}, .best = {"sort_pairs", "count_kept_ranks"}},
     .problem = problem_at,
     .buffers = buffers,
     .prepare = prepare,
     .refuses = refuses,
     .switches = {{"method",
                   "how entries get to their rows",
                   {{"sort", "by a stable radix sort of all entries"},
                    {"count", "by counts of each row, their sums, and a scatter"}},
                   "DRAM bytes, to a fraction; L2 atomics, from none to one or two per entry",
                   "Speed3R, arXiv 2603.08055, its code: sort"},
                  only_with("method", {"sort"},
                            {"word",
                             "what is sorted",
                             {{"pair", "pairs of row and query block"},
                              {"64", "words of 64 bits: head, key block, query block"},
                              {"32", "words of 32 bits, head by head"}},
                             "DRAM bytes, to half with 32 bits; launches, one sort per head"}),
                  only_with("method", {"sort"},
                            {"ends",
                             "how the rows' beginnings are found",
                             {{"one_block_a_head",
                               "a thread block per head counts all entries again, as published"},
                              {"neighbors", "each entry is compared with the one before it"}},
                             "SM activity, up"}),
                  only_with("method", {"count"},
                            {"ranks",
                             "where an entry's place in its row comes from",
                             {{"second_atomic", "a second atomic, which counts the row down"},
                              {"kept", "what counting it returned, kept in memory"}},
                             "L2 atomics, from two to one per entry"}),
                  only_with("method", {"count"},
                            {"rows",
                             "order of a row's query blocks",
                             {{"ordered", "ascending, by a sort of each row: long ones by a bitmap"},
                              {"ordered_by_bitmaps", "ascending, each row by a bitmap"},
                              {"any", "as they come"},
                              {"off", "ascending, as the sort of all entries leaves them"}},
                             "DRAM bytes, 8 per entry more for the sort"})},
     .variants = {
         {"published",
          ABLATE_LAUNCH(turn_around),
          pairs,
          "as published: a stable sort of pairs of key and query block; one thread block per head counts "
          "all entries to find where rows begin",
          {.takes = {{"ends", {"neighbors"}}}}},
         {"sort_pairs", ABLATE_LAUNCH(turn_around), pairs.with({{"ends", "neighbors"}}),
          "a stable sort of pairs of key and query block; rows begin where an entry's key differs from the "
          "one before"},
         {"sort_words",
          ABLATE_LAUNCH(turn_around),
          words,
          "a sort of 64-bit words that hold head, key block and query block, by the first two",
          {.takes = {{"word", {"32"}}, {"ends", {"one_block_a_head"}}}}},
         {"count_ordered",
          ABLATE_LAUNCH(turn_around),
          by_counts,
          "entries counted by row and scattered to their rows, which are then sorted",
          {.without = {"sort_memory"},
           .takes = {{"ranks", {"kept"}},
                     {"rows", {"ordered_by_bitmaps"}},
                     {"rows", {"any"}, 80, in_any_order.only_where}}}},
         {"count", ABLATE_LAUNCH(turn_around), by_counts.with({{"rows", "any"}}),
          "entries counted by row and scattered to their rows, in any order", in_any_order},
         {"count_kept_ranks", ABLATE_LAUNCH(turn_around),
          by_counts.with({{"ranks", "kept"}, {"rows", "any"}}),
          "entries counted by row and scattered by the ranks that the counting atomics returned, in any "
          "order",
          in_any_order},
     }});

}  // namespace ablate::list_transpose
