#include "variants/psh_bucket/batch.h"

#include <algorithm>

namespace ablate::psh_bucket {

std::int64_t size_of_instance(std::int64_t points, int k, bool ragged) {
  return ragged ? points * (k % 3) / 2 : points;
}

std::vector<std::uint32_t> ends_of(std::int64_t points, int instances, bool ragged) {
  std::vector<std::uint32_t> ends;
  std::int64_t end = 0;
  for (int k = 0; k < instances; ++k)
    ends.push_back(static_cast<std::uint32_t>(end += size_of_instance(points, k, ragged)));
  return ends;
}

batch_size size_of_batch(std::int64_t points, const axis_values& at) {
  const bool ragged = at.word("sizes") == "ragged";
  batch_size size;
  for (int k = 0; k < static_cast<int>(at.integer("batch")); ++k) {
    size.points += size_of_instance(points, k, ragged);
    size.largest_instance = std::max(size.largest_instance, size_of_instance(points, k, ragged));
  }
  return size;
}

}  // namespace ablate::psh_bucket
