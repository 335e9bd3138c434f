// hash_search: looks up the rows of queries in a prebuilt hash table. Axes, inputs, check and work model; one
// entry per variant.
#include "harness/inputs/clouds.h"
#include "harness/inputs/random.h"
#include "harness/inputs/voxels/order.h"
#include "kernels/hash_table/launches.h"
#include "oracles/hash_table/key.h"
#include "oracles/hash_table/reference.h"
#include "variants/hash_table.h"
#include "variants/hash_table_switches.h"
#include "variants/hash_table_variants.h"

namespace ablate::hash_table {
namespace {

constexpr std::int64_t fewest_queries = 1 << 22;  ///< if the case leaves their number open

std::optional<std::string> refuses(const axis_values& at) {
  if (rows_at(at) > at.integer("slots")) return "a table that is searched has a slot for each row";
  return refuses_table(at, rows_at(at));
}

axis_values counted(const axis_values& at, const input_library& inputs) {
  return with_counted_rows(at, at.word("keys"), 1, refuses, inputs);
}

problem problem_at(const axis_values& given, const input_library& inputs) {
  const axis_values at = counted(given, inputs);
  problem p;
  p.rows = rows_at(at);
  p.queries = at.integer("queries") != 0 ? at.integer("queries") : std::max(p.rows, fewest_queries);
  p.slots = at.integer("slots");
  p.guards = at.word("range") == "guard";
  p.first = p.last = phase::search;
  return p;
}

std::optional<problem> ahead(const problem& p) {
  problem before = p;
  before.first = phase::clear;
  before.last = phase::insert;
  return before;
}

bound_buffers buffers(problem& p) {
  const auto rows = static_cast<std::size_t>(p.rows), queries = static_cast<std::size_t>(p.queries);
  const auto input = buffer_role::input, output = buffer_role::output;
  const auto poison = buffer_reset::poison;
  return {bind("coordinates", p.coordinates, 16 * rows, input),
          bind("wanted", p.wanted, 16 * queries, input),
          bind("table", p.table, table_bytes(p.slots, p.rows), buffer_role::scratch, poison),
          bind("status", p.status, sizeof(std::int32_t), output, poison),
          bind("found", p.found, 4 * queries, output, poison),
          bind("events", p.events, sizeof(unsigned long long) * event_words, buffer_role::instruments,
               buffer_reset::zeros)};
}

struct known_inputs {
  std::vector<std::int32_t> coordinates;
  std::vector<voxel> wanted;
  row_classes classes;
  std::vector<std::int32_t> wanted_rows;  ///< per query

  problem on_host(problem p) const {
    p.coordinates = coordinates.data();
    p.wanted = reinterpret_cast<const std::int32_t*>(wanted.data());
    return p;
  }
};

std::array<std::int32_t, 4> coordinate_of(const voxel& v) { return {v.batch, v.x, v.y, v.z}; }

std::uint64_t key_of_voxel(const voxel& v) { return packed_key(coordinate_of(v).data()); }

/// Derives queries from rows.
class query_maker {
 public:
  query_maker(std::vector<voxel> rows, const row_index& index, const axis_values& at, std::int64_t queries,
              std::uint64_t seed)
      : rows_(std::move(rows)),
        index_(index),
        random_(seed, "queries"),
        hit_percent_(static_cast<std::uint32_t>(at.integer("hit_percent"))),
        miss_(at.word("miss")),
        queries_(queries),
        unused_batch_(unused_batch()) {}

  /// Query i is for a row, or a miss derived from it; without rows there are only misses.
  voxel query(std::int64_t i) {
    const auto place = static_cast<std::size_t>(i);
    if (rows_.empty()) return random_voxel();
    // First every row equally often, then rows at random: what was inserted first is found soonest.
    const std::size_t rows = rows_.size();
    const bool in_turn = place < static_cast<std::size_t>(queries_) / rows * rows;
    const voxel& row = rows_[in_turn ? place % rows : random_.below(static_cast<std::uint32_t>(rows))];
    if (random_.below(100) < hit_percent_) return row;
    if (miss_ == "near") return near(row);
    return miss_ == "far" ? far(row) : beyond(row);
  }

 private:
  bool is_there(const voxel& v) const { return index_.find(key_of_voxel(v)) >= 0; }

  voxel random_voxel() { return voxel_of_key(random_.next()); }

  std::optional<std::int32_t> unused_batch() const {
    std::vector<bool> used(max_batches);
    for (const voxel& v : rows_) used[static_cast<std::size_t>(v.batch)] = true;
    for (std::int32_t batch = max_batches - 1; batch >= 0; --batch)
      if (!used[static_cast<std::size_t>(batch)]) return batch;
    return std::nullopt;
  }

  /// The row's coordinates in a batch that no row has; if all batches are in use, any empty voxel.
  voxel far(const voxel& row) {
    if (unused_batch_) return {*unused_batch_, row.x, row.y, row.z};
    for (;;)
      if (const voxel v = random_voxel(); !is_there(v)) return v;
  }

  /// An empty neighbor of the row, wrapped or not: among the 26 around it, or a little further away if many
  /// of those are rows too.
  voxel near(const voxel& row) {
    constexpr int tries_per_step = 8;
    for (int tries = 0;; ++tries) {
      const std::int32_t reach = 1 + tries / tries_per_step;
      const auto step = [&] {
        return static_cast<std::int32_t>(random_.below(static_cast<std::uint32_t>(2 * reach + 1))) - reach;
      };
      const std::int32_t x = step(), y = step(), z = step();
      if (const voxel v = {row.batch, row.x + x, row.y + y, row.z + z}; !is_there(v)) return v;
    }
  }

  /// Out of range in one field, by the field's whole width: under `wrap` the row itself.
  voxel beyond(voxel row) {
    constexpr std::int32_t width = highest_coordinate - lowest_coordinate + 1;
    const std::uint32_t choice = random_.below(8);
    const std::int32_t sign = choice < 4 ? 1 : -1;
    std::int32_t* const fields[] = {&row.batch, &row.x, &row.y, &row.z};
    *fields[choice % 4] += sign * (choice % 4 == 0 ? max_batches : width);
    return row;
  }

  std::vector<voxel> rows_;
  const row_index& index_;
  random_stream random_;
  std::uint32_t hit_percent_;
  std::string miss_;
  std::int64_t queries_;
  std::optional<std::int32_t> unused_batch_;
};

std::vector<voxel> voxels_of(const std::vector<std::int32_t>& coordinates) {
  std::vector<voxel> voxels;
  voxels.reserve(coordinates.size() / 4);
  for (std::size_t i = 0; i < coordinates.size(); i += 4)
    voxels.push_back({coordinates[i], coordinates[i + 1], coordinates[i + 2], coordinates[i + 3]});
  return voxels;
}

/// The rows in the order of the queries.
std::vector<voxel> rows_in_order(const std::vector<std::int32_t>& coordinates, const std::string& order,
                                 std::uint64_t seed) {
  std::vector<voxel> rows = voxels_of(coordinates);
  if (order == "shuffled") shuffle_rows(rows, seed);
  if (order == "morton") sort_by_morton_code(rows);
  return rows;
}

/// Hits, and the distinct rows that they find.
struct found_rows {
  std::int64_t hits = 0, distinct = 0;
};

found_rows count_found(const std::vector<std::int32_t>& wanted_rows, std::int64_t rows) {
  found_rows counted;
  std::vector<bool> is_found(static_cast<std::size_t>(rows));
  for (const std::int32_t row : wanted_rows) {
    if (row < 0) continue;
    ++counted.hits;
    counted.distinct += !is_found[static_cast<std::size_t>(row)];
    is_found[static_cast<std::size_t>(row)] = true;
  }
  return counted;
}

// Compulsory for every layout: each query read and its answer written; for each row found, its key and its
// number (12 bytes when packed). What a miss reads may be shared by all.
//
// Random accesses: for each in-range query, the sector that its key hashes to; a hit's row may be in the same
// one (16-byte slots). A locality-preserving hash (sector_local) queried in a similarly local order shares
// sectors among queries and may beat this model. Misses count for no more keys
// than there are rows: too small a footprint gives too high a rate, so the model remains a lower bound.
work_model work(const problem& p, const found_rows& found, std::int64_t seen) {
  const std::int64_t missed = std::min(seen - found.hits, p.rows);
  return {.bytes = 20.0 * static_cast<double>(p.queries) + 12.0 * static_cast<double>(found.distinct),
          .written_bytes = 4.0 * static_cast<double>(p.queries),
          .random = {at_random("random_read_sectors", seen, found.distinct + missed, p.slots)}};
}

workload prepare(const problem& p, const axis_values& given, const input_library& inputs) {
  const axis_values at = counted(given, inputs);
  voxel_cloud rows = rows_of_table(at, inputs, "scan", 1);
  auto known = std::make_shared<known_inputs>();
  const row_index index = index_of(rows.coords.data(), p.rows);
  known->classes = classes_of(index, rows.coords.data(), p.rows);
  query_maker maker(rows_in_order(rows.coords, at.word("order"), inputs.seed()), index, at, p.queries,
                    inputs.seed());
  std::int64_t seen = 0;
  for (std::int64_t i = 0; i < p.queries; ++i) {
    const voxel query = maker.query(i);
    const bool is_seen = !p.guards || in_range(coordinate_of(query).data());
    seen += is_seen;
    known->wanted.push_back(query);
    known->wanted_rows.push_back(is_seen ? index.find(key_of_voxel(query)) : -1);
  }
  const found_rows found = count_found(known->wanted_rows, p.rows);
  const std::string hashes = hash_hex(rows.coords.data(), rows.coords.size() * sizeof(std::int32_t)) +
                             hash_hex(known->wanted.data(), known->wanted.size() * sizeof(voxel));

  workload w;
  w.input = facts_of_rows(rows, p, known->classes.distinct, hash_hex(hashes.data(), hashes.size()));
  w.input["queries"] = p.queries;
  w.input["hits"] = found.hits;
  w.work = work(p, found, seen);
  known->coordinates = std::move(rows.coords);
  w.contents = contents_of(p, buffers,
                           {{"coordinates", std::as_bytes(std::span(known->coordinates))},
                            {"wanted", std::as_bytes(std::span(known->wanted))}});
  w.check = [p, known](std::span<const std::byte* const> outputs) -> check_result {
    const auto violation =
        violated_by_search(known->on_host(attached(p, buffers, outputs)), known->classes, known->wanted_rows);
    return violation ? check_result{false, *violation} : check_result{.ok = true};
  };
  w.reference = [p, known](std::span<void* const> host) {
    reference(known->on_host(attached(p, buffers, host)));
  };
  w.read_instruments = read_events;
  w.storage = known;
  return w;
}

}  // namespace

const bool defined = define<problem>(
    {.name = "hash_search",
     .description = "queries by voxel coordinates in a hash table that was built ahead",
     .axes = {slots_axis(), axis::of_integers("load", 0, 100, 50, "rows in percent of the slots"),
              rows_axis(), keys_axis(), cell_axis(),
              axis::of_integers("queries", 0, 1 << 27, 0, "queries; 0 = as many as rows, at least 2^22"),
              axis::of_words(
                  "order", {"scan", "shuffled", "morton"},
                  "of the queries: as the rows were generated or scanned, random, along a Morton curve"),
              axis::of_integers("hit_percent", 0, 100, 100, "queries for a row in the table, in percent"),
              axis::of_words(
                  "miss", {"far", "near", "beyond"},
                  "queries for absent rows: in a batch without rows; empty neighbors of rows; rows "
                  "with a field out of range by its whole width"),
              axis::of_words("range", {"guard", "wrap"},
                             "queries out of range: misses; or each field silently modulo its width"),
              axis::of_words("region", {"search"}, "what is timed")},
     .baseline = "packed",
     .presets = {.published = {"packed_warp_search"},
                 .best = {"packed", "packed_warp_search", "interleaved", "packed_marked_buckets",
                          "packed_fibonacci", "interleaved_marked_buckets", "packed_double_hash"}},
     .problem = problem_at,
     .buffers = buffers,
     .prepare = prepare,
     .refuses = [](const axis_values& at) { return refuses_before_counting(at, at.word("keys"), refuses); },
     .ahead = ahead,
     .keeps_ahead = true,
     .switches = switches_of_tables_and(
         {{"probe",
           {{"warp32", "neighboring slots, 32 lanes of a warp at once, as published by WarpConvNet"}}}},
         {only_with("probe", {"warp32"},
                    {.name = "row",
                     .description = "which lanes of a warp load a row on a hit",
                     .values = {{"winner", "the one that found the key"},
                                {"off", "all, each that of its slot, as published"}},
                     .counter = "row sectors per hit, from 4 or 5 to one"}),
          only_with("probe", {"warp32"},
                    {.name = "window",
                     .description = "where the first window of 32 slots starts",
                     .values = {{"aligned", "at the sector of the home slot"},
                                {"off", "at the home slot, as published"}},
                     .counter = "key sectors per window, from 8.75 on average to 8"})}),
     .variants = tables_and(
         {
             in_flight4("packed_in_flight4", "packed",
                        "packed keys, linear probing; four queries per thread in flight"),
             {"packed_warp_search",
              ABLATE_LAUNCH(packed_warp_search),
              {{"layout", "packed"}, {"hash", "splitmix"}, {"probe", "warp32"}, {"insert", "cas_first"}},
              "one warp per query over packed keys, as published: windows of 32 slots from the home slot on; on "
              "a hit every lane loads its slot's row",
              {.takes = {{"window", {"aligned"}}, {"insert", {"load_first"}}}}},
             {"packed_warp_search_winner",
              ABLATE_LAUNCH(packed_warp_search),
              {{"layout", "packed"},
               {"hash", "splitmix"},
               {"probe", "warp32"},
               {"insert", "cas_first"},
               {"row", "winner"}},
              "one warp per query over packed keys, 32 slots at once; on a hit only the lane that found the key "
              "loads its row",
              {.takes = {{"insert", {"load_first"}}}}},
             {"packed_warp_search_aligned",
              ABLATE_LAUNCH(packed_warp_search),
              {{"layout", "packed"},
               {"hash", "splitmix"},
               {"probe", "warp32"},
               {"insert", "cas_first"},
               {"row", "winner"},
               {"window", "aligned"}},
              "one warp per query over packed keys, 32 slots at once from a sector boundary on; on a hit only "
              "the lane that found the key loads its row",
              {.takes = {{"insert", {"load_first"}}}}},
             in_flight4("interleaved_in_flight4", "interleaved",
                        "key and row side by side in 16-byte slots; four queries per thread in flight",
                        {.takes = {{"insert", {"cas_first"}}}}),
         },
         // Rows of these are inserted one at a time, and only queries are in flight side by side.
         {{"packed", {"insert", {"load_first"}}},
          {"packed", {"in_flight", {"4"}}},
          {"packed_double_hash", {"in_flight", {"4"}}}})});

}  // namespace ablate::hash_table
