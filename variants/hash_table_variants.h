#pragma once

#include <utility>
#include <vector>

#include "harness/registry/define.h"
#include "kernels/hash_table/hash_table.h"

namespace ablate::hash_table {

/// The tables that hash_insert builds and hash_search searches, and what only one of the two has.
inline std::vector<variant<problem>> tables_and(std::vector<variant<problem>> more) {
  // clang-format off
  std::vector<variant<problem>> all = {
      {"packed", ABLATE_LAUNCH(packed), {{"layout", "packed"}, {"hash", "splitmix"}, {"probe", "linear"}, {"insert", "cas_first"}}, "P: 8-byte packed keys and rows in arrays of their own, as published: a compare-and-swap at each slot on the way"},
      {"packed_double_hash", ABLATE_LAUNCH(packed_double_hash), {{"layout", "packed"}, {"hash", "splitmix"}, {"probe", "double_hash"}, {"insert", "cas_first"}}, "P, steps by a second hash"},
      {"packed_buckets", ABLATE_LAUNCH(packed_buckets), {{"layout", "packed"}, {"hash", "splitmix"}, {"probe", "buckets"}, {"insert", "load_first"}, {"bucket_slots", "4"}}, "P in buckets of four keys, one sector, read whole by one thread; the neighboring bucket is next"},
      {"packed_buckets_double_hash", ABLATE_LAUNCH(packed_buckets_double_hash), {{"layout", "packed"}, {"hash", "splitmix"}, {"probe", "buckets_double_hash"}, {"insert", "load_first"}, {"bucket_slots", "4"}}, "P in buckets of four keys, steps by a second hash"},
      {"packed_wide_buckets_double_hash", ABLATE_LAUNCH(packed_wide_buckets_double_hash), {{"layout", "packed"}, {"hash", "splitmix"}, {"probe", "buckets_double_hash"}, {"insert", "load_first"}, {"bucket_slots", "8"}}, "P in buckets of eight keys, 64 bytes, steps by a second hash"},
      {"packed_marked_buckets", ABLATE_LAUNCH(packed_marked_buckets), {{"layout", "packed"}, {"hash", "splitmix"}, {"probe", "marked_buckets_double_hash"}, {"insert", "load_first"}, {"bucket_slots", "4"}}, "P in buckets of four keys, steps by a second hash; a bucket is marked once a key goes past it, and a miss ends at one that is not"},
      {"interleaved_buckets_double_hash", ABLATE_LAUNCH(interleaved_buckets_double_hash), {{"layout", "interleaved"}, {"hash", "splitmix"}, {"probe", "buckets_double_hash"}, {"insert", "load_first"}, {"bucket_slots", "4"}}, "P16 in buckets of four slots, 64 bytes, steps by a second hash"},
      {"interleaved_marked_buckets", ABLATE_LAUNCH(interleaved_marked_buckets), {{"layout", "interleaved"}, {"hash", "splitmix"}, {"probe", "marked_buckets_double_hash"}, {"insert", "load_first"}, {"bucket_slots", "4"}}, "P16 in buckets of four slots, steps by a second hash; a miss ends at a bucket that no key has gone past"},
      {"packed_tile4", ABLATE_LAUNCH(packed_tile4), {{"layout", "packed"}, {"hash", "splitmix"}, {"probe", "tile4"}, {"insert", "load_first"}}, "P, four lanes a key"},
      {"packed_tile8", ABLATE_LAUNCH(packed_tile8), {{"layout", "packed"}, {"hash", "splitmix"}, {"probe", "tile8"}, {"insert", "load_first"}}, "P, eight lanes a key"},
      {"packed_tile16", ABLATE_LAUNCH(packed_tile16), {{"layout", "packed"}, {"hash", "splitmix"}, {"probe", "tile16"}, {"insert", "load_first"}}, "P, sixteen lanes a key"},
      {"packed_murmur", ABLATE_LAUNCH(packed_murmur), {{"layout", "packed"}, {"hash", "murmur"}, {"probe", "linear"}, {"insert", "cas_first"}}, "P, MurmurHash3 of the four words"},
      {"packed_city", ABLATE_LAUNCH(packed_city), {{"layout", "packed"}, {"hash", "city"}, {"probe", "linear"}, {"insert", "cas_first"}}, "P, Murmur's finisher once a word"},
      {"packed_fnv", ABLATE_LAUNCH(packed_fnv), {{"layout", "packed"}, {"hash", "fnv"}, {"probe", "linear"}, {"insert", "cas_first"}}, "P, FNV-1a by words: a negative control"},
      {"packed_fibonacci", ABLATE_LAUNCH(packed_fibonacci), {{"layout", "packed"}, {"hash", "fibonacci"}, {"probe", "linear"}, {"insert", "cas_first"}}, "P, one multiplication"},
      {"packed_identity", ABLATE_LAUNCH(packed_identity), {{"layout", "packed"}, {"hash", "identity"}, {"probe", "linear"}, {"insert", "cas_first"}}, "P, the key's low bits: a negative control"},
      {"packed_sector_local", ABLATE_LAUNCH(packed_sector_local), {{"layout", "packed"}, {"hash", "sector_local"}, {"probe", "linear"}, {"insert", "cas_first"}}, "P, runs of four voxels along z in one sector"},
      {"interleaved", ABLATE_LAUNCH(interleaved_16), {{"layout", "interleaved"}, {"hash", "splitmix"}, {"probe", "linear"}, {"insert", "cas_first"}}, "P16: key and row side by side in 16 bytes"},
      {"interleaved_double_hash", ABLATE_LAUNCH(interleaved_16_double_hash), {{"layout", "interleaved"}, {"hash", "splitmix"}, {"probe", "double_hash"}, {"insert", "cas_first"}}, "P16, steps by a second hash"},
      {"interleaved_tile4", ABLATE_LAUNCH(interleaved_16_tile4), {{"layout", "interleaved"}, {"hash", "splitmix"}, {"probe", "tile4"}, {"insert", "load_first"}}, "P16, four lanes a key"},
      {"indirect_murmur", ABLATE_LAUNCH(indirect_murmur), {{"layout", "indirect"}, {"hash", "murmur"}, {"probe", "linear"}, {"insert", "load_first"}}, "VI: 16-byte vector keys with the rows, as shipped before packed keys; MurmurHash3"},
      {"indirect_city", ABLATE_LAUNCH(indirect_city), {{"layout", "indirect"}, {"hash", "city"}, {"probe", "linear"}, {"insert", "load_first"}}, "VI with the hash that it was shipped with"},
      {"in_line_murmur", ABLATE_LAUNCH(in_line_murmur), {{"layout", "in_line"}, {"hash", "murmur"}, {"probe", "linear"}, {"insert", "cas_first"}}, "VL: 16-byte vector keys in the slots, as the page describes them"},
  };
  // clang-format on
  for (variant<problem>& one : more) all.push_back(std::move(one));
  return all;
}

}  // namespace ablate::hash_table
