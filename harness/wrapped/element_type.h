#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/registry/array_operation.h"

namespace ablate::wrapped {

/// The type of an array's elements or of an argument, by the name that a file or a plugin gives it.
struct element_type {
  std::string_view name;  ///< f64 f32 f16 bf16 i64 u64 i32 u32 i16 u16 i8 u8
  std::size_t bytes;
  std::string_view npy;  ///< as an .npy file's header writes it; bf16 as the u16 that holds its bits
  bool is_real;
};

/// Null where there is none of this name.
const element_type* find_element_type(std::string_view name);
/// "'f64', 'f32', ...", for messages.
std::string element_type_names();

/// Whether an element can be this integer; any real is taken to.
bool can_hold(const element_type&, std::int64_t number);

/// An element as a number; integers of 64 bits lose what a double cannot hold.
double number_at(const element_type&, const std::byte* element);
/// Writes a number as an element: rounded to nearest even, or towards zero by an integer type.
void put_number(const element_type&, double number, std::byte* element);
/// Writes an integer as an element of any type.
void put_integer(const element_type&, std::int64_t number, std::byte* element);

/// How one array differs from another of the same type and length, by kernel_array's rule.
array_difference difference_of(const element_type&, std::int64_t count, double tolerance,
                               const std::byte* right, const std::byte* found);

/// Arrays of an operation whose types are known only at run time.
kernel_array input_array(std::string name, const element_type&, std::int64_t count,
                         std::function<std::vector<std::byte>(std::uint64_t seed)> contents);
kernel_array output_array(std::string name, const element_type&, std::int64_t count, double tolerance);
kernel_array scratch_array(std::string name, const element_type&, std::int64_t count);

/// Uniform in [low, high): each number of a stream of the array's own, rounded to the type.
std::vector<std::byte> uniform_elements(const element_type&, std::int64_t count, double low, double high,
                                        std::uint64_t seed, std::string_view array);
/// Uniform integers from low to high, both included; high - low below 2^32.
std::vector<std::byte> integer_elements(const element_type&, std::int64_t count, std::int64_t low,
                                        std::int64_t high, std::uint64_t seed, std::string_view array);

}  // namespace ablate::wrapped
