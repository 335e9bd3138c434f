// The launch function of all tables whose rows and queries probe slots: finds the table with a variant's
// switches among those that other files compile (tables.h).
#include "kernels/common/refuse_launch.h"
#include "kernels/common/switches.h"
#include "kernels/hash_table/launches.h"
#include "kernels/hash_table/tables.h"

namespace ablate::hash_table {
namespace {

struct known_table {
  const char *layout, *hash, *probe, *insert, *in_flight;
  void (*run)(launcher&, const problem&);
};

constexpr const char one[] = "off", four[] = "4";

// By "cas_first" rows are inserted one at a time, whatever queries are in flight.
constexpr known_table known_tables[] = {
    {"packed", "splitmix", "linear", "cas_first", one, packed},
    {"packed", "splitmix", "linear", "cas_first", four, packed_searched_in_flight},
    {"packed", "splitmix", "linear", "load_first", one, packed_load_first},
    {"packed", "splitmix", "linear", "load_first", four, packed_in_flight},
    {"packed", "splitmix", "linear", "warp_deduplicated", one, packed_warp_deduplicated},
    {"packed", "splitmix", "double_hash", "cas_first", one, packed_double_hash},
    {"packed", "splitmix", "double_hash", "cas_first", four, packed_double_hash_searched_in_flight},
    {"packed", "splitmix", "buckets_double_hash", "load_first", one, packed_wide_buckets_double_hash},
    {"packed", "splitmix", "marked_buckets_double_hash", "load_first", one, packed_marked_buckets},
    {"packed", "splitmix", "tile4", "load_first", one, packed_tile4},
    {"packed", "splitmix", "tile8", "load_first", one, packed_tile8},
    {"packed", "splitmix", "tile16", "load_first", one, packed_tile16},
    {"packed", "murmur", "linear", "cas_first", one, packed_murmur},
    {"packed", "city", "linear", "cas_first", one, packed_city},
    {"packed", "fnv", "linear", "cas_first", one, packed_fnv},
    {"packed", "fibonacci", "linear", "cas_first", one, packed_fibonacci},
    {"packed", "sector_local", "linear", "cas_first", one, packed_sector_local},
    {"interleaved", "splitmix", "linear", "cas_first", one, interleaved_16},
    {"interleaved", "splitmix", "linear", "cas_first", four, interleaved_16_searched_in_flight},
    {"interleaved", "splitmix", "linear", "load_first", one, interleaved_16_load_first},
    {"interleaved", "splitmix", "linear", "load_first", four, interleaved_16_in_flight},
    {"interleaved", "splitmix", "double_hash", "cas_first", one, interleaved_16_double_hash},
    {"interleaved", "splitmix", "buckets_double_hash", "load_first", one, interleaved_buckets_double_hash},
    {"interleaved", "splitmix", "marked_buckets_double_hash", "load_first", one, interleaved_marked_buckets},
    {"interleaved", "splitmix", "tile4", "load_first", one, interleaved_16_tile4},
    {"interleaved", "fibonacci", "linear", "cas_first", one, interleaved_16_fibonacci},
    {"interleaved_whole", "splitmix", "linear", "cas_first", one, interleaved_whole_cas_first},
    {"interleaved_whole", "splitmix", "linear", "load_first", one, interleaved_whole_load_first},
    {"indirect", "murmur", "linear", "load_first", one, indirect_murmur},
    {"indirect", "city", "linear", "load_first", one, indirect_city},
    {"in_line", "murmur", "linear", "cas_first", one, in_line_murmur},
};

}  // namespace

void probing_table(launcher& to, const problem& p, const switches& s) {
  const text_view in_flight = s.has("in_flight") ? s.word("in_flight") : one;
  for (const known_table& known : known_tables)
    if (s.word("layout") == known.layout && s.word("hash") == known.hash && s.word("probe") == known.probe &&
        s.word("insert") == known.insert && in_flight == known.in_flight)
      return known.run(to, p);
  refuse_launch({"hash table: no table of ", s.word("layout"), ", ", s.word("hash"), ", ", s.word("probe"),
                 ", ", s.word("insert")});
}

}  // namespace ablate::hash_table
