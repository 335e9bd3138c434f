#include "kernels/network/drop_path.h"

#include <algorithm>
#include <cstddef>

#include "kernels/common/mixed.h"

namespace ablate::backbone {

std::vector<float> drop_rates(const std::vector<stage>& half, int level, float greatest, bool is_decoder) {
  int before = 0, all = 0;
  for (std::size_t l = 0; l < half.size(); ++l) {
    if (l < static_cast<std::size_t>(level)) before += half[l].depth();
    all += half[l].depth();
  }
  std::vector<float> rates;
  for (int i = 0; i < half[static_cast<std::size_t>(level)].depth(); ++i)
    rates.push_back(all == 1 ? greatest
                             : greatest * static_cast<float>(before + i) / static_cast<float>(all - 1));
  if (is_decoder) std::ranges::reverse(rates);
  return rates;
}

std::uint64_t seed_of_branch(const drop_path& path, int layer) {
  return mixed(path.seed * 0x9e3779b97f4a7c15ull + static_cast<std::uint64_t>(layer));
}

}  // namespace ablate::backbone
