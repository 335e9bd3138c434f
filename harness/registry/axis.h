#pragma once

#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/version.h"

namespace ABLATE_ABI {

/// Words of an axis and the value of each: an enumeration spelled in suites.
/// `const axis_words<order> orders = {{"natural", order::natural}, {"shuffled", order::shuffled}};`
template <class T>
class axis_words {
 public:
  axis_words(std::initializer_list<std::pair<std::string, T>> all) : all_(all) {}

  /// Throws std::out_of_range for another word.
  const T& of(std::string_view word) const {
    for (const auto& [known, value] : all_)
      if (known == word) return value;
    throw std::out_of_range("'" + std::string(word) + "' is none of the axis's words");
  }
  std::vector<std::string> words() const {
    std::vector<std::string> out;
    for (const auto& entry : all_) out.push_back(entry.first);
    return out;
  }

 private:
  std::vector<std::pair<std::string, T>> all_;
};

/// An operation's parameter that a suite sets and sweeps: one of a few words, an integer in a range, or a
/// number in a range. A word axis may also take the names of the suite's point files.
struct axis {
  std::string name;
  std::string description;  ///< what it is, with its unit
  std::string default_value;
  std::vector<std::string> words;                   ///< the legal words
  std::optional<std::pair<long, long>> range = {};  ///< inclusive bounds, when integers are legal
  bool takes_point_files = false;
  std::optional<long> all = {};  ///< the integer that means everything: a suite may write `all` instead
  /// Case ids name the axis only where it has another value than its default. So an operation may get one
  /// more axis, and cases keep the ids that records know them by.
  bool is_silent_at_default = false;
  std::optional<std::pair<double, double>> numbers = {};  ///< inclusive bounds, when any number is legal

  static axis of_words(std::string name, std::vector<std::string> words, std::string description) {
    std::string first = words.front();
    return {std::move(name), std::move(description), std::move(first), std::move(words)};
  }
  /// The same from words with their values, which `axis_values::choice` reads.
  template <class T>
  static axis of_words(std::string name, const axis_words<T>& words, std::string description) {
    return of_words(std::move(name), words.words(), std::move(description));
  }
  /// Read by `axis_values::number`.
  static axis of_numbers(std::string name, double minimum, double maximum, double default_value,
                         std::string description);
  static axis of_integers(std::string name, long minimum, long maximum, long default_value,
                          std::string description) {
    return {std::move(name),
            std::move(description),
            std::to_string(default_value),
            {},
            std::pair{minimum, maximum}};
  }

  axis with_all(long value) && {
    all = value;
    return std::move(*this);
  }
  axis silent_at_default() && {
    is_silent_at_default = true;
    return std::move(*this);
  }

  /// The canonical spelling of a value, used in case ids and records: an integer without leading zeros, a
  /// number in the fewest digits that tell it from all others (0.5 for 0.50), and the corresponding integer
  /// for `all`. Other words are unchanged.
  std::string canonical(const std::string& text) const;

  /// Why `value`, in its canonical spelling, is illegal here, or nothing.
  std::optional<std::string> refuses(std::string_view value,
                                     const std::vector<std::string>& point_files) const;
};

/// A value for each of an operation's axes, in declaration order.
class axis_values {
 public:
  axis_values() = default;
  axis_values(std::initializer_list<std::pair<std::string, std::string>> values) : values_(values) {}

  void set(const std::string& name, std::string value);
  /// Throws std::out_of_range for an axis that has no value.
  const std::string& word(std::string_view name) const;
  long integer(std::string_view name) const;
  /// Also of an integer. Throws std::invalid_argument for a word.
  double number(std::string_view name) const;
  /// The value of the axis's word.
  template <class T>
  const T& choice(std::string_view name, const axis_words<T>& words) const {
    return words.of(word(name));
  }

  auto begin() const { return values_.begin(); }
  auto end() const { return values_.end(); }
  bool operator==(const axis_values&) const = default;

 private:
  std::vector<std::pair<std::string, std::string>> values_;
};

/// Allowed words by axis, as in {{"region", {"insert", "rebalance"}}, {"mode", {"strict"}}}: satisfied by
/// values that have one of the allowed words on every axis named.
using axis_conditions = std::vector<std::pair<std::string, std::vector<std::string>>>;

/// The first condition that `values` does not satisfy, or null. Throws std::out_of_range for an axis without
/// a value.
const axis_conditions::value_type* first_unmet(const axis_conditions&, const axis_values& values);

}  // namespace ABLATE_ABI
