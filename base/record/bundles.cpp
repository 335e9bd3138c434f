#include "base/record/bundles.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace ablate {
namespace {

bool holds(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Sets of cases that grow together; the first case of a set represents it.
class joined_sets {
 public:
  explicit joined_sets(std::size_t cases) : parent_(cases) {
    std::iota(parent_.begin(), parent_.end(), std::size_t{0});
  }
  std::size_t of(std::size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void join(std::size_t a, std::size_t b) {
    a = of(a), b = of(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<std::size_t> parent_;
};

std::string key_of(const std::string& name, named_words axes) {
  std::sort(axes.begin(), axes.end());  // operations declare common axes in different orders
  std::string key = name;
  for (const auto& [axis, value] : axes) key += "/" + axis + "=" + value;
  return key;
}

/// The axes that all operations of the join have, less those that it crosses.
std::set<std::string> kept_axes(const std::vector<bundle_member>& cases, const bundle_join& of) {
  std::map<std::string, std::set<std::string>> by_operation;
  for (const bundle_member& c : cases)
    if (!c.is_calibration && holds(of.operations, c.operation))
      for (const auto& [axis, value] : c.axes) by_operation[c.operation].insert(axis);
  std::set<std::string> kept;
  if (!by_operation.empty()) kept = by_operation.begin()->second;
  std::erase_if(kept, [&](const std::string& axis) {
    return holds(of.across, axis) || std::any_of(by_operation.begin(), by_operation.end(),
                                                 [&](const auto& op) { return !op.second.contains(axis); });
  });
  return kept;
}

void join_equal(const std::vector<bundle_member>& cases, joined_sets& sets) {
  std::map<std::string, std::size_t> first;
  for (std::size_t i = 0; i < cases.size(); ++i)
    if (!cases[i].is_calibration)
      sets.join(i, first.emplace(key_of(cases[i].operation, cases[i].axes), i).first->second);
}

void join_compared(const std::vector<bundle_member>& cases, const bundle_join& of, joined_sets& sets) {
  const std::set<std::string> kept = kept_axes(cases, of);
  std::map<std::string, std::size_t> first;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (cases[i].is_calibration || !holds(of.operations, cases[i].operation)) continue;
    named_words axes = cases[i].axes;
    std::erase_if(axes, [&](const auto& word) { return !kept.contains(word.first); });
    sets.join(i, first.emplace(key_of("", axes), i).first->second);
  }
}

}  // namespace

std::vector<bundle_join> operation_joins(const std::vector<bundle_member>& cases) {
  std::map<std::string, std::set<std::string>> axes_of;
  for (const bundle_member& c : cases)
    if (!c.is_calibration)
      for (const auto& [axis, value] : c.axes) axes_of[c.operation].insert(axis);
  std::vector<bundle_join> out;
  for (const auto& [operation, axes] : axes_of) out.push_back({{operation}, {axes.begin(), axes.end()}});
  return out;
}

std::vector<std::size_t> bundles_of(const std::vector<bundle_member>& cases,
                                    const std::vector<bundle_join>& joins) {
  joined_sets sets(cases.size());
  join_equal(cases, sets);
  for (const bundle_join& of : joins) join_compared(cases, of, sets);
  std::map<std::size_t, std::size_t> numbers;
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < cases.size(); ++i)
    out.push_back(numbers.emplace(sets.of(i), numbers.size()).first->second);
  return out;
}

}  // namespace ablate
