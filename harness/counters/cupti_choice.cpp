#include "harness/counters/cupti_choice.h"

#include <algorithm>
#include <charconv>

namespace ablate {

int cuda_major_of_cupti(unsigned version) {
  constexpr unsigned first_of_cuda_12 = 19, first_with_cuda_version = 130000;
  if (version == 0) return 0;
  if (version >= first_with_cuda_version) return static_cast<int>(version / 10000);
  return version >= first_of_cuda_12 ? 12 : 11;
}

std::optional<int> cuda_major_of_driver(std::string_view text) {
  // "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.159.04  …", or "…Open Kernel Module for x86_64
  // 580.…"
  constexpr int first_of_cuda_12 = 525, first_of_cuda_13 = 580;
  for (std::size_t at = text.find("  "); at != std::string_view::npos; at = text.find("  ", at + 2)) {
    int branch = 0;
    const char* const begin = text.data() + at + 2;
    const auto [end, error] = std::from_chars(begin, text.data() + text.size(), branch);
    if (error != std::errc() || end == text.data() + text.size() || *end != '.') continue;
    return branch >= first_of_cuda_13 ? 13 : branch >= first_of_cuda_12 ? 12 : 11;
  }
  return std::nullopt;
}

std::size_t chosen_cupti(const std::vector<found_cupti>& found, std::optional<int> driver_cuda_major) {
  if (!driver_cuda_major) return 0;
  const auto first = std::ranges::find_if(
      found, [&](const found_cupti& f) { return cuda_major_of_cupti(f.version) <= *driver_cuda_major; });
  return first == found.end() ? 0 : static_cast<std::size_t>(first - found.begin());
}

}  // namespace ablate
