#include <algorithm>
#include <vector>

#include "tests/growth/work.h"

namespace ablate::growth {

std::uint64_t distinct_by_search(std::uint64_t n) {
  std::vector<std::uint64_t> seen;
  for (std::uint64_t i = 0; i < n; ++i)
    if (std::find(seen.begin(), seen.end(), i) == seen.end()) seen.push_back(i);
  return seen.size();
}

}  // namespace ablate::growth
