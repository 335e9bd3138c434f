#pragma once

#include <vector>

#include "oracles/hash_table/checks.h"
#include "oracles/hash_table/key.h"
#include "oracles/hash_table/reference.h"

namespace ablate::hash_table::test_support {

/// A problem on the host with memory of its own.
struct host_table {
  host_table(std::vector<std::int32_t> rows, std::int64_t slots) : coordinates(std::move(rows)) {
    p.rows = static_cast<std::int64_t>(coordinates.size() / 4);
    p.slots = slots;
    p.coordinates = coordinates.data();
    p.status = &status;
    p.summary = summary;
    found.assign(coordinates.size() / 4, -99);
    p.found = found.data();
  }
  host_table(const host_table&) = delete;

  void insert() {
    p.first = phase::clear;
    p.last = phase::insert;
    reference(p);
  }
  void search(std::vector<std::int32_t> queries) {
    wanted = std::move(queries);
    found.assign(wanted.size() / 4, -99);
    p.queries = static_cast<std::int64_t>(wanted.size() / 4);
    p.wanted = wanted.data();
    p.found = found.data();
    p.first = p.last = phase::search;
    reference(p);
  }
  row_classes classes() const { return classes_of(index_of(p.coordinates, p.rows), p.coordinates, p.rows); }
  std::string violation() const { return violated_by_insertion(p, classes()).value_or(""); }

  std::vector<std::int32_t> coordinates, wanted, found;
  std::int32_t status = -99;
  std::uint64_t summary[2] = {99, 99};
  problem p;
};

/// Rows 0 … count − 1 with `distinct` coordinates by turns.
inline std::vector<std::int32_t> rows_by_turns(std::int64_t count, std::int64_t distinct) {
  std::vector<std::int32_t> rows;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto v = static_cast<std::int32_t>(i % distinct);
    rows.insert(rows.end(), {v % 3, v - 5, -2 * v, v / 7});
  }
  return rows;
}

}  // namespace ablate::hash_table::test_support
