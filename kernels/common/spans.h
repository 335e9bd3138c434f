#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <typeinfo>
#include <utility>
#include <vector>

namespace ablate {

/// The arrays and axis values of one case of an operation that has no problem struct of its own: what its
/// launch functions and its host reference are called with. Cheap to copy; the memory is the harness's, on
/// the device or on the host.
class spans {
 public:
  struct array {
    std::string name;
    std::int64_t count = 0;  ///< elements
    std::size_t element_bytes = 0;
    const std::type_info* type = nullptr;
    bool is_written = false;  ///< an output or scratch
    bool is_output = false;

    std::size_t bytes() const { return element_bytes * static_cast<std::size_t>(count); }
  };
  struct facts {
    std::vector<array> arrays;
    std::vector<std::pair<std::string, std::string>> axes;
  };

  spans() = default;
  explicit spans(facts of) : facts_(std::make_shared<const facts>(std::move(of))) {}

  const std::vector<array>& arrays() const { return facts_->arrays; }
  const std::vector<std::pair<std::string, std::string>>& axes() const { return facts_->axes; }
  void attach(std::span<void* const> addresses) { addresses_.assign(addresses.begin(), addresses.end()); }

  /// An array that the kernel reads. Throws std::logic_error unless there is one of this name and element
  /// type.
  template <class T>
  std::span<const T> in(std::string_view name) const {
    return span_of<T>(name, false);
  }
  /// An array that the kernel writes: an output or scratch. Throws std::logic_error unless there is one of
  /// this name and type.
  template <class T>
  std::span<T> out(std::string_view name) const {
    return span_of<T>(name, true);
  }

  /// Of the array at `index`, whatever its type; null until attached.
  void* address(std::size_t index) const { return index < addresses_.size() ? addresses_[index] : nullptr; }

  /// The value of an axis. Throw std::logic_error for an unknown axis, `integer` and `number` also
  /// std::invalid_argument for a word.
  const std::string& word(std::string_view axis) const {
    for (const auto& [name, value] : facts_->axes)
      if (name == axis) return value;
    throw std::logic_error("there is no axis '" + std::string(axis) + "'");
  }
  long integer(std::string_view axis) const { return std::stol(word(axis)); }
  double number(std::string_view axis) const { return std::stod(word(axis)); }
  /// The value of the axis's word (axis_words).
  template <class Words>
  const auto& choice(std::string_view axis, const Words& words) const {
    return words.of(word(axis));
  }

 private:
  template <class T>
  std::span<T> span_of(std::string_view name, bool is_written) const {
    for (std::size_t i = 0; i < facts_->arrays.size(); ++i) {
      const array& a = facts_->arrays[i];
      if (a.name != name) continue;
      if (*a.type != typeid(T)) throw std::logic_error("array '" + a.name + "' has elements of another type");
      if (is_written && !a.is_written)
        throw std::logic_error("array '" + a.name + "' is an input: it is read by in(), never written");
      return {static_cast<T*>(address(i)), static_cast<std::size_t>(a.count)};
    }
    throw std::logic_error("there is no array '" + std::string(name) + "'");
  }

  std::shared_ptr<const facts> facts_ = std::make_shared<const facts>();
  std::vector<void*> addresses_;  ///< in the order of the arrays; empty until attached
};

}  // namespace ablate
