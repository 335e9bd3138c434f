#include "kernels/common/switches.h"

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/common/switch_entry.h"

namespace ablate {

struct switches::entries : std::vector<switch_entry> {};

namespace {

template <class Values>
auto find(Values& values, text_view name) {
  return std::find_if(values.begin(), values.end(), [&](const auto& entry) { return entry.first == name; });
}

}  // namespace

switches::switches(std::initializer_list<named_word> values) : values_(new entries) {
  for (const auto& [name, word] : values) values_->emplace_back(std::string(name), std::string(word));
}

switches::switches(const switches& of) : values_(of.values_ ? new entries(*of.values_) : nullptr) {}

switches& switches::operator=(switches from) noexcept {
  std::swap(values_, from.values_);
  return *this;
}

switches::~switches() { delete values_; }

const switch_entry* switches::begin() const { return values_ ? values_->data() : nullptr; }

const switch_entry* switches::end() const { return values_ ? values_->data() + values_->size() : nullptr; }

bool switches::has(text_view name) const { return find(*this, name) != end(); }

text_view switches::word(text_view name) const {
  const auto found = find(*this, name);
  if (found == end()) throw std::out_of_range("the variant states no switch '" + std::string(name) + "'");
  return found->second;
}

switches switches::with(std::initializer_list<named_word> values) const {
  switches all = *this;
  if (all.values_ == nullptr) all.values_ = new entries;
  for (const auto& [name, word] : values) {
    const auto found = find(*all.values_, name);
    if (found == all.values_->end())
      all.values_->emplace_back(std::string(name), std::string(word));
    else
      found->second = std::string(word);
  }
  return all;
}

long switches::integer(text_view name) const {
  const std::string_view text = word(name);
  long value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    throw std::invalid_argument("switch '" + std::string(name) + "' is '" + std::string(text) +
                                "', expected an integer");
  return value;
}

}  // namespace ablate
