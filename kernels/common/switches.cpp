#include "kernels/common/switches.h"

#include <algorithm>
#include <charconv>
#include <stdexcept>

namespace ablate {

namespace {

template <class Values>
auto find(Values& values, std::string_view name) {
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

switches switches::with(std::initializer_list<std::pair<std::string, std::string>> values) const {
  switches all = *this;
  for (const auto& [name, value] : values) {
    const auto found = find(all.values_, name);
    if (found == all.values_.end())
      all.values_.emplace_back(name, value);
    else
      found->second = value;
  }
  return all;
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
