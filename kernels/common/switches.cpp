#include "kernels/common/switches.h"

#include <algorithm>
#include <charconv>
#include <stdexcept>

namespace ablate {

namespace {

auto find(const std::vector<std::pair<std::string, std::string>>& values, std::string_view name) {
  return std::find_if(values.begin(), values.end(), [&](const auto& entry) { return entry.first == name; });
}

}  // namespace

bool switches::has(std::string_view name) const { return find(values_, name) != values_.end(); }

const std::string& switches::word(std::string_view name) const {
  const auto found = find(values_, name);
  if (found == values_.end())
    throw std::out_of_range("the variant states no switch '" + std::string(name) + "'");
  return found->second;
}

long switches::integer(std::string_view name) const {
  const std::string& text = word(name);
  long value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    throw std::invalid_argument("switch '" + std::string(name) + "' is '" + text + "', expected an integer");
  return value;
}

}  // namespace ablate
