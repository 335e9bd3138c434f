#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "harness/registry/define.h"
#include "kernels/hash_table/hash_table.h"
#include "kernels/hash_table/launches.h"

namespace ablate::hash_table {

/// Values that one of the operations lets a table of both take.
struct further_range {
  std::string of;  ///< a variant
  switch_range range;
};

/// A table of packed or interleaved slots, whose threads have four rows or queries in flight.
inline variant<problem> in_flight4(std::string name, const char* layout, std::string description,
                                   variant_limits limits = {}) {
  return {std::move(name),
          ABLATE_LAUNCH(probing_table),
          {{"layout", layout},
           {"hash", "splitmix"},
           {"probe", "linear"},
           {"insert", "load_first"},
           {"in_flight", "4"}},
          std::move(description),
          std::move(limits)};
}

/// The tables that both hash_insert and hash_search use, plus what only one of them has.
inline std::vector<variant<problem>> tables_and(std::vector<variant<problem>> more,
                                                std::vector<further_range> ranges = {}) {
  std::vector<variant<problem>> all = {
      {"packed",
       ABLATE_LAUNCH(probing_table),
       {{"layout", "packed"}, {"hash", "splitmix"}, {"probe", "linear"}, {"insert", "cas_first"}},
       "8-byte packed keys and rows in separate arrays, linear probing; insertion sends a compare-and-swap "
       "to each slot probed, as published"},
      {"packed_double_hash",
       ABLATE_LAUNCH(probing_table),
       {{"layout", "packed"}, {"hash", "splitmix"}, {"probe", "double_hash"}, {"insert", "cas_first"}},
       "8-byte packed keys and rows in separate arrays, probed at a stride from a second hash"},
      {"packed_wide_buckets_double_hash",
       ABLATE_LAUNCH(probing_table),
       {{"layout", "packed"},
        {"hash", "splitmix"},
        {"probe", "buckets_double_hash"},
        {"insert", "load_first"},
        {"bucket_slots", "8"}},
       "packed keys in buckets of eight, 64 bytes, read whole by one thread; the next bucket at a stride "
       "from a second hash"},
      {"packed_marked_buckets",
       ABLATE_LAUNCH(probing_table),
       {{"layout", "packed"},
        {"hash", "splitmix"},
        {"probe", "marked_buckets_double_hash"},
        {"insert", "load_first"},
        {"bucket_slots", "4"}},
       "packed keys in buckets of four, one sector, at a stride from a second hash; buckets are marked once "
       "a key goes past them, so a miss ends at an unmarked one"},
      {"interleaved_buckets_double_hash",
       ABLATE_LAUNCH(probing_table),
       {{"layout", "interleaved"},
        {"hash", "splitmix"},
        {"probe", "buckets_double_hash"},
        {"insert", "load_first"},
        {"bucket_slots", "4"}},
       "key and row side by side in buckets of four slots, 64 bytes; the next bucket at a stride from a "
       "second hash"},
      {"interleaved_marked_buckets",
       ABLATE_LAUNCH(probing_table),
       {{"layout", "interleaved"},
        {"hash", "splitmix"},
        {"probe", "marked_buckets_double_hash"},
        {"insert", "load_first"},
        {"bucket_slots", "4"}},
       "key and row side by side in buckets of four slots, 64 bytes, marked once a key goes past them, so a "
       "miss ends at an unmarked one"},
      {"packed_tile4",
       ABLATE_LAUNCH(probing_table),
       {{"layout", "packed"}, {"hash", "splitmix"}, {"probe", "tile4"}, {"insert", "load_first"}},
       "packed keys, linear probing by four lanes per key, one slot each"},
      {"packed_tile8",
       ABLATE_LAUNCH(probing_table),
       {{"layout", "packed"}, {"hash", "splitmix"}, {"probe", "tile8"}, {"insert", "load_first"}},
       "packed keys, linear probing by eight lanes per key, one slot each"},
      {"packed_tile16",
       ABLATE_LAUNCH(probing_table),
       {{"layout", "packed"}, {"hash", "splitmix"}, {"probe", "tile16"}, {"insert", "load_first"}},
       "packed keys, linear probing by sixteen lanes per key, one slot each"},
      {"packed_murmur",
       ABLATE_LAUNCH(probing_table),
       {{"layout", "packed"}, {"hash", "murmur"}, {"probe", "linear"}, {"insert", "cas_first"}},
       "packed keys, linear probing, hashed by MurmurHash3 of the four words"},
      {"packed_city",
       ABLATE_LAUNCH(probing_table),
       {{"layout", "packed"}, {"hash", "city"}, {"probe", "linear"}, {"insert", "cas_first"}},
       "packed keys, linear probing, hashed by Murmur's finalizer once per word"},
      {"packed_fnv",
       ABLATE_LAUNCH(probing_table),
       {{"layout", "packed"}, {"hash", "fnv"}, {"probe", "linear"}, {"insert", "cas_first"}},
       "packed keys, linear probing, hashed by FNV-1a over words: a negative control"},
      {"packed_fibonacci",
       ABLATE_LAUNCH(probing_table),
       {{"layout", "packed"}, {"hash", "fibonacci"}, {"probe", "linear"}, {"insert", "cas_first"}},
       "packed keys, linear probing, hashed by one multiplication"},
      {"packed_sector_local",
       ABLATE_LAUNCH(probing_table),
       {{"layout", "packed"}, {"hash", "sector_local"}, {"probe", "linear"}, {"insert", "cas_first"}},
       "packed keys, linear probing, with a hash that keeps runs of four voxels along z in one sector"},
      {"interleaved",
       ABLATE_LAUNCH(probing_table),
       {{"layout", "interleaved"}, {"hash", "splitmix"}, {"probe", "linear"}, {"insert", "cas_first"}},
       "key and row side by side in 16-byte slots, linear probing",
       {.takes = {{"hash", {"fibonacci"}}}}},
      {"interleaved_double_hash",
       ABLATE_LAUNCH(probing_table),
       {{"layout", "interleaved"}, {"hash", "splitmix"}, {"probe", "double_hash"}, {"insert", "cas_first"}},
       "key and row side by side in 16-byte slots, probed at a stride from a second hash"},
      {"interleaved_tile4",
       ABLATE_LAUNCH(probing_table),
       {{"layout", "interleaved"}, {"hash", "splitmix"}, {"probe", "tile4"}, {"insert", "load_first"}},
       "key and row side by side in 16-byte slots, linear probing by four lanes per key"},
      {"indirect_murmur",
       ABLATE_LAUNCH(probing_table),
       {{"layout", "indirect"}, {"hash", "murmur"}, {"probe", "linear"}, {"insert", "load_first"}},
       "slots hold row numbers; their 16-byte coordinates are fetched and compared, as shipped before packed "
       "keys; MurmurHash3"},
      {"indirect_city",
       ABLATE_LAUNCH(probing_table),
       {{"layout", "indirect"}, {"hash", "city"}, {"probe", "linear"}, {"insert", "load_first"}},
       "slots hold row numbers; their 16-byte coordinates are fetched and compared, as shipped before "
       "packed keys; Murmur's finalizer once per word"},
      {"in_line_murmur",
       ABLATE_LAUNCH(probing_table),
       {{"layout", "in_line"}, {"hash", "murmur"}, {"probe", "linear"}, {"insert", "cas_first"}},
       "16-byte coordinates in the slots as keys, as WarpConvNet's documentation "
       "describes them; MurmurHash3"},
  };
  for (auto& [of, range] : ranges)
    std::ranges::find(all, of, &variant<problem>::name)->limits.takes.push_back(std::move(range));
  for (variant<problem>& one : more) all.push_back(std::move(one));
  return all;
}

}  // namespace ablate::hash_table
