#include "reports/quotes/rounding.h"

#include <fmt/format.h>

#include <algorithm>

namespace ablate::reports {
namespace {

std::string grouped(std::string number) {
  const std::size_t begin = number.starts_with("-") ? 1 : 0;
  const std::size_t whole = std::min(number.find('.'), number.size());
  if (whole - begin < 5) return number;
  for (std::size_t at = whole; at > begin + 3;) number.insert(at -= 3, " ");
  return number;
}

/// Decimals that leave `digits` significant digits.
int decimals_for(double value, int digits) {
  if (value == 0) return 0;
  const std::string scientific = fmt::format("{:.{}e}", value, digits - 1);
  return std::max(0, digits - 1 - std::stoi(scientific.substr(scientific.find('e') + 1)));
}

}  // namespace

std::string rounded_number(double value, const std::string& how) {
  const int many = std::stoi(how.substr(1));
  return grouped(fmt::format("{:.{}f}", value, how.front() == '.' ? many : decimals_for(value, many)));
}

}  // namespace ablate::reports
