#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <utility>

namespace ablate {

/// A number as a file has it: 4096 and 4096.0 are equal, and each is written as it came.
class written_number {
 public:
  written_number(double value = 0) : value_(value) {}
  template <std::integral Integer>
  written_number(Integer value)
      : value_(static_cast<double>(value)), integer_(static_cast<std::int64_t>(value)), is_integer_(true) {}

  operator double() const { return value_; }
  /// For fmt, which since version 10 converts no class by itself.
  friend double format_as(const written_number& of) { return of.value_; }
  /// In anything but a record, a number like any other.
  template <class Json>
  friend void to_json(Json& to, const written_number& of) {
    to = of.value_;
  }
  /// Nothing for a number that is written with a fraction.
  std::optional<std::int64_t> integer() const { return is_integer_ ? std::optional(integer_) : std::nullopt; }

 private:
  double value_;
  std::int64_t integer_ = 0;
  bool is_integer_ = false;
};

/// A value whose key may be absent, and which may be null. By default the key is absent; assigned nothing, it
/// is there and null.
template <class T>
class stated : public std::optional<T> {
 public:
  stated() = default;
  stated(std::nullopt_t) : is_null_(true) {}
  stated(T value) : std::optional<T>(std::move(value)) {}
  stated(std::optional<T> value) : std::optional<T>(std::move(value)) { is_null_ = !this->has_value(); }

  bool is_absent() const { return !this->has_value() && !is_null_; }

 private:
  bool is_null_ = false;
};

/// A list whose key may be absent, which is something else than a list of nothing.
template <class List>
class stated_list : public List {
 public:
  using List::List;
  stated_list(List of) : List(std::move(of)), is_stated_(true) {}

  void state() { is_stated_ = true; }
  bool is_absent() const { return this->empty() && !is_stated_; }

 private:
  bool is_stated_ = false;
};

}  // namespace ablate
