#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "harness/registry/operation.h"

namespace ablate::hash_table {

struct further_values {
  std::string of;  ///< a switch of both operations
  std::vector<switch_value> values;
};

/// The switches of the tables that both hash_insert and hash_search use, plus what only one of them has.
inline std::vector<switch_facts> switches_of_tables_and(const std::vector<further_values>& further,
                                                        std::vector<switch_facts> more) {
  std::vector<switch_facts> all = {
      {.name = "layout",
       .description = "where a slot keeps its key and row",
       .values = {{"packed", "8-byte keys and 4-byte rows in two arrays"},
                  {"interleaved", "key and row side by side in 16 bytes"},
                  {"indirect", "8-byte slots of a row number, whose coordinates are fetched and compared"},
                  {"in_line", "16-byte coordinates as keys, rows in an array of their own"}},
       .counter = "L2 sectors per probe and per hit; a hit's, to one where key and row are side by side",
       .source = "WarpConvNet documentation, \"Packed Hash Table\", key layout"},
      {.name = "hash",
       .description = "hash that gives a key's home slot",
       .values = {{"splitmix", "SplitMix64's mixer over the packed key, as published"},
                  {"murmur", "MurmurHash3 over the four words"},
                  {"city", "Murmur's finalizer once per word"},
                  {"fnv", "FNV-1a over words, a negative control"},
                  {"fibonacci", "one multiplication of the packed key"},
                  {"sector_local", "an aligned run of four voxels along z shares a sector"}},
       .counter = "integer instructions per key; probes per key, up where keys cluster",
       .source = "WarpConvNet documentation, \"Packed Hash Table\", hashing; Fibonacci: Knuth, TAOCP vol. 3, "
                 "section 6.4"},
      {.name = "probe",
       .description = "which slots a key probes, and how many lanes probe for it",
       .values =
           {{"linear", "neighboring slots, by one thread"},
            {"double_hash", "slots at a stride from a second hash, by one thread"},
            {"buckets_double_hash", "whole buckets, the next at a stride from a second hash"},
            {"marked_buckets_double_hash",
             "such buckets, each marked once a key goes past it, so that a miss ends at an unmarked one"},
            {"tile4", "neighboring slots, four lanes at once"},
            {"tile8", "neighboring slots, eight lanes at once"},
            {"tile16", "neighboring slots, sixteen lanes at once"}},
       .counter = "dependent reads per key, down; sectors per request, up with tiles",
       .source = "tiles: WarpCore, arXiv 2009.07914; buckets: BGHT, arXiv 2108.07232"},
      {.name = "insert",
       .description = "how a row claims its slot",
       .values = {{"cas_first", "a compare-and-swap at every slot probed, as published"},
                  {"load_first", "each slot is read, and only an empty one is claimed"}},
       .counter = "atomics per row, from one per slot probed to one per new key"},
      {.name = "bucket_slots",
       .description = "slots of a bucket, which one thread reads whole",
       .values = {{"4"}, {"8"}, {"off", "slots are probed one by one"}},
       .counter = "dependent reads per miss, down"},
      {.name = "in_flight",
       .description = "rows or queries of a thread under way at once",
       .values = {{"4"}, {"off", "one"}},
       .counter = "long-scoreboard stalls, down"},
  };
  for (const auto& [of, values] : further) {
    std::vector<switch_value>& known = std::ranges::find(all, of, &switch_facts::name)->values;
    known.insert(known.end(), values.begin(), values.end());
  }
  for (switch_facts& one : more) all.push_back(std::move(one));
  return all;
}

}  // namespace ablate::hash_table
