#include "harness/wrapped/element_type.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <typeinfo>
#include <utility>

#include "harness/inputs/random.h"
#include "kernels/common/bf16.h"
#include "kernels/common/half.h"
#include "kernels/common/poison.h"

namespace ablate::wrapped {

namespace {

constexpr element_type types[] = {
    {"f64", 8, "<f8", true},  {"f32", 4, "<f4", true},  {"f16", 2, "<f2", true},  {"bf16", 2, "<u2", true},
    {"i64", 8, "<i8", false}, {"u64", 8, "<u8", false}, {"i32", 4, "<i4", false}, {"u32", 4, "<u4", false},
    {"i16", 2, "<i2", false}, {"u16", 2, "<u2", false}, {"i8", 1, "|i1", false},  {"u8", 1, "|u1", false}};

template <class T>
T loaded(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <class T>
void stored(T value, std::byte* to) {
  std::memcpy(to, &value, sizeof value);
}

/// Calls `with` with an object of the integer type of this name; false for a type of reals.
template <class With>
bool with_integer_type(std::string_view name, With&& with) {
  if (name == "i64") return with(std::int64_t{}), true;
  if (name == "u64") return with(std::uint64_t{}), true;
  if (name == "i32") return with(std::int32_t{}), true;
  if (name == "u32") return with(std::uint32_t{}), true;
  if (name == "i16") return with(std::int16_t{}), true;
  if (name == "u16") return with(std::uint16_t{}), true;
  if (name == "i8") return with(std::int8_t{}), true;
  if (name == "u8") return with(std::uint8_t{}), true;
  return false;
}

/// The C++ type of these elements, by which a reference requests an array (spans.h).
const std::type_info& type_of(const element_type& type) {
  if (type.name == "f64") return typeid(double);
  if (type.name == "f32") return typeid(float);
  const std::type_info* found = &typeid(std::uint16_t);  // f16 and bf16: their bits
  with_integer_type(type.name, [&](auto zero) { found = &typeid(zero); });
  return *found;
}

std::size_t size_of(const element_type& type, std::int64_t count) {
  return type.bytes * static_cast<std::size_t>(count);
}

std::string text_of(const element_type& type, const std::byte* element) {
  std::string text;
  if (!with_integer_type(type.name, [&](auto zero) {
        using T = decltype(zero);
        if constexpr (sizeof(T) == 1)
          text = std::to_string(static_cast<int>(loaded<T>(element)));
        else
          text = std::to_string(loaded<T>(element));
      }))
    text = fmt::format("{}", number_at(type, element));
  return text;
}

/// As far as its type tells: of integers below 64 bits, any value may be a result.
std::int64_t first_unwritten_of(const element_type& type, std::int64_t count, const std::byte* found) {
  if (!type.is_real && type.bytes < 8) return -1;
  std::byte poison[8];
  std::memset(poison, poison_byte, sizeof poison);
  // One result in 65536 may have the poison's bits where an element has but 16: two in a row tell.
  const std::int64_t run = type.bytes == 2 ? 2 : 1;
  for (std::int64_t i = 0, in_a_row = 0; i < count; ++i) {
    in_a_row = std::memcmp(found + size_of(type, i), poison, type.bytes) == 0 ? in_a_row + 1 : 0;
    if (in_a_row == std::min(run, count)) return i + 1 - in_a_row;
  }
  return -1;
}

}  // namespace

const element_type* find_element_type(std::string_view name) {
  for (const element_type& type : types)
    if (type.name == name) return &type;
  return nullptr;
}

std::string element_type_names() {
  std::string out;
  for (const element_type& type : types) out += fmt::format("{}'{}'", out.empty() ? "" : ", ", type.name);
  return out;
}

bool can_hold(const element_type& type, std::int64_t number) {
  bool fits = true;
  with_integer_type(type.name, [&](auto zero) { fits = std::in_range<decltype(zero)>(number); });
  return fits;
}

double number_at(const element_type& type, const std::byte* element) {
  if (type.name == "f64") return loaded<double>(element);
  if (type.name == "f32") return static_cast<double>(loaded<float>(element));
  if (type.name == "f16") return static_cast<double>(float_of_half(loaded<std::uint16_t>(element)));
  if (type.name == "bf16") return static_cast<double>(float_of_bf16(loaded<std::uint16_t>(element)));
  double number = 0;
  with_integer_type(type.name,
                    [&](auto zero) { number = static_cast<double>(loaded<decltype(zero)>(element)); });
  return number;
}

void put_number(const element_type& type, double number, std::byte* element) {
  if (type.name == "f64") return stored(number, element);
  const auto single = static_cast<float>(number);
  if (type.name == "f32") return stored(single, element);
  if (type.name == "f16") return stored(half_of_float(single), element);
  if (type.name == "bf16") return stored(bf16_of_float(single), element);
  put_integer(type, static_cast<std::int64_t>(number), element);
}

void put_integer(const element_type& type, std::int64_t number, std::byte* element) {
  if (!with_integer_type(type.name, [&](auto zero) { stored(static_cast<decltype(zero)>(number), element); }))
    put_number(type, static_cast<double>(number), element);
}

array_difference difference_of(const element_type& type, std::int64_t count, double tolerance,
                               const std::byte* right, const std::byte* found) {
  array_difference out;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::byte *const wanted_at = right + size_of(type, i), *const found_at = found + size_of(type, i);
    const double wanted = number_at(type, wanted_at), got = number_at(type, found_at);
    // Integers by their bits, which a double may not hold; NaN is never right.
    const bool is_equal = type.is_real ? wanted == got : std::memcmp(wanted_at, found_at, type.bytes) == 0;
    const double off = is_equal ? 0 : std::abs(got - wanted) / std::max(1.0, std::abs(wanted));
    if (!(is_equal || (tolerance > 0 && off <= tolerance))) {
      out.first = i;
      return out;
    }
    out.greatest = std::max(out.greatest, off);
  }
  return out;
}

kernel_array input_array(std::string name, const element_type& type, std::int64_t count,
                         std::function<std::vector<std::byte>(std::uint64_t seed)> contents) {
  kernel_array a{std::move(name), count, type.bytes, &type_of(type), buffer_role::input};
  a.contents = std::move(contents);
  return a;
}

kernel_array output_array(std::string name, const element_type& type, std::int64_t count, double tolerance) {
  kernel_array a{std::move(name), count, type.bytes, &type_of(type), buffer_role::output};
  a.tolerance = tolerance;
  a.compare = [&type, count, tolerance](const std::byte* right, const std::byte* found) {
    return difference_of(type, count, tolerance, right, found);
  };
  a.text = [&type](const std::byte* bytes, std::int64_t element) {
    return text_of(type, bytes + size_of(type, element));
  };
  a.first_unwritten = [&type, count](const std::byte* found) {
    return first_unwritten_of(type, count, found);
  };
  return a;
}

kernel_array scratch_array(std::string name, const element_type& type, std::int64_t count) {
  return {std::move(name), count, type.bytes, &type_of(type), buffer_role::scratch};
}

std::vector<std::byte> uniform_elements(const element_type& type, std::int64_t count, double low, double high,
                                        std::uint64_t seed, std::string_view array) {
  std::vector<std::byte> out(size_of(type, count));
  random_stream random(seed, array);
  for (std::int64_t i = 0; i < count; ++i)
    put_number(type, random.uniform(low, high), out.data() + size_of(type, i));
  return out;
}

std::vector<std::byte> integer_elements(const element_type& type, std::int64_t count, std::int64_t low,
                                        std::int64_t high, std::uint64_t seed, std::string_view array) {
  std::vector<std::byte> out(size_of(type, count));
  random_stream random(seed, array);
  const auto values = static_cast<std::uint32_t>(high - low + 1);
  for (std::int64_t i = 0; i < count; ++i)
    put_integer(type, low + random.below(values), out.data() + size_of(type, i));
  return out;
}

}  // namespace ablate::wrapped
