#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ablate::hash_table {

/// The oracle's own table, from key to row. Up to 2^31 rows; 10^7 take a second.
class row_index {
 public:
  explicit row_index(std::int64_t max_keys);

  /// The row of the key: `row` if the key is new.
  std::int32_t add(std::uint64_t key, std::int32_t row);
  /// −1 if the key is absent.
  std::int32_t find(std::uint64_t key) const { return slots_[slot_of(key)].row; }
  std::int64_t size() const { return size_; }

 private:
  std::size_t slot_of(std::uint64_t key) const;

  struct entry {
    std::uint64_t key = 0;  ///< 0 = empty
    std::int32_t row = -1;
  };
  std::vector<entry> slots_;
  std::int64_t size_ = 0;
};

/// Indexes all rows, keeping the smallest for each key.
row_index index_of(const std::int32_t* coordinates, std::int64_t rows);

/// For each row, the smallest row with equal coordinates (possibly itself), which represents them all.
struct row_classes {
  std::vector<std::int32_t> smallest;  ///< [rows]
  std::int64_t distinct = 0;
};
row_classes classes_of(const row_index& of_all_rows, const std::int32_t* coordinates, std::int64_t rows);

}  // namespace ablate::hash_table
