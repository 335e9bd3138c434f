#include "oracles/hash_table/row_index.h"

#include <algorithm>
#include <bit>

#include "oracles/hash_table/key.h"

namespace ablate::hash_table {

row_index::row_index(std::int64_t max_keys)
    : slots_(std::bit_ceil(2 * static_cast<std::size_t>(std::max<std::int64_t>(max_keys, 1)))) {}

// Mixes the key's complement: keys chosen to collide in the kernels' tables do not collide here.
std::size_t row_index::slot_of(std::uint64_t key) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = mixed(~key) & mask;
  while (slots_[slot].key != 0 && slots_[slot].key != key) slot = (slot + 1) & mask;
  return slot;
}

std::int32_t row_index::add(std::uint64_t key, std::int32_t row) {
  entry& there = slots_[slot_of(key)];
  if (there.key != 0) return there.row;
  there = {key, row};
  ++size_;
  return row;
}

row_index index_of(const std::int32_t* coordinates, std::int64_t rows) {
  row_index index(rows);
  for (std::int64_t i = 0; i < rows; ++i)
    index.add(packed_key(coordinates + 4 * i), static_cast<std::int32_t>(i));
  return index;
}

row_classes classes_of(const row_index& of_all_rows, const std::int32_t* coordinates, std::int64_t rows) {
  row_classes classes;
  classes.distinct = of_all_rows.size();
  classes.smallest.reserve(static_cast<std::size_t>(rows));
  for (std::int64_t i = 0; i < rows; ++i)
    classes.smallest.push_back(of_all_rows.find(packed_key(coordinates + 4 * i)));
  return classes;
}

}  // namespace ablate::hash_table
