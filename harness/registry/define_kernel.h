#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include "harness/registry/axis.h"
#include "harness/registry/checked_function.h"
#include "harness/registry/kernel_array.h"
#include "harness/registry/variant.h"
#include "harness/version.h"
#include "kernels/common/spans.h"

namespace ABLATE_ABI {

/// An input of made numbers, uniform in [-1, 1) (random_floats.h).
kernel_array input_floats(std::string name, std::int64_t count);

/// An input of any type, made by `make(seed)`, which must give `count` elements.
template <class T>
kernel_array input_of(std::string name, std::int64_t count,
                      std::function<std::vector<T>(std::uint64_t seed)> make) {
  kernel_array a{std::move(name), count, sizeof(T), &typeid(T), buffer_role::input};
  a.contents = [make = std::move(make)](std::uint64_t seed) {
    const std::vector<T> made = make(seed);
    const auto bytes = std::as_bytes(std::span(made));
    return std::vector<std::byte>(bytes.begin(), bytes.end());
  };
  return a;
}

}  // namespace ABLATE_ABI

namespace ablate::detail {

/// NaN is never right.
template <class T>
array_difference difference(std::span<const T> right, std::span<const T> found, double tolerance);
/// The first element that still holds the harness's poison, or -1.
template <class T>
std::int64_t first_poison(std::span<const T> found);

extern template array_difference difference(std::span<const float>, std::span<const float>, double);
extern template std::int64_t first_poison(std::span<const float>);
extern template array_difference difference(std::span<const double>, std::span<const double>, double);
extern template std::int64_t first_poison(std::span<const double>);
extern template array_difference difference(std::span<const std::int32_t>, std::span<const std::int32_t>,
                                            double);
extern template std::int64_t first_poison(std::span<const std::int32_t>);
extern template array_difference difference(std::span<const std::uint32_t>, std::span<const std::uint32_t>,
                                            double);
extern template std::int64_t first_poison(std::span<const std::uint32_t>);
extern template array_difference difference(std::span<const std::int64_t>, std::span<const std::int64_t>,
                                            double);
extern template std::int64_t first_poison(std::span<const std::int64_t>);
extern template array_difference difference(std::span<const std::uint8_t>, std::span<const std::uint8_t>,
                                            double);
extern template std::int64_t first_poison(std::span<const std::uint8_t>);

std::string element_text(double);
std::string element_text(std::int64_t);

}  // namespace ablate::detail

namespace ABLATE_ABI {

/// An output of float, double or an integer type (int32, uint32, int64, uint8). An element is right if it
/// differs from the oracle's by at most `tolerance` * max(1, |the oracle's|); 0: if it is equal.
template <class T>
kernel_array output_of(std::string name, std::int64_t count, double tolerance = 0) {
  kernel_array a{std::move(name), count, sizeof(T), &typeid(T), buffer_role::output};
  a.tolerance = tolerance;
  const auto values = [count](const std::byte* bytes) {
    return std::span(reinterpret_cast<const T*>(bytes), static_cast<std::size_t>(count));
  };
  a.compare = [values, tolerance](const std::byte* right, const std::byte* found) {
    return detail::difference<T>(values(right), values(found), tolerance);
  };
  a.first_unwritten = [values](const std::byte* found) { return detail::first_poison<T>(values(found)); };
  a.text = [values](const std::byte* bytes, std::int64_t element) {
    const T value = values(bytes)[static_cast<std::size_t>(element)];
    if constexpr (std::floating_point<T>)
      return detail::element_text(static_cast<double>(value));
    else
      return detail::element_text(static_cast<std::int64_t>(value));
  };
  return a;
}

/// Memory for a kernel's own use; not compared.
template <class T>
kernel_array scratch_of(std::string name, std::int64_t count) {
  return {std::move(name), count, sizeof(T), &typeid(T), buffer_role::scratch};
}

}  // namespace ABLATE_ABI

namespace ablate::detail {

/// The functions of a kernel_definition. Each refuses one of another signature in words.
struct arrays_function {
  std::function<std::vector<kernel_array>(const axis_values&)> call;

  arrays_function() = default;
  template <class F>
  requires(!std::is_same_v<F, arrays_function>) arrays_function(F given)
      : call(converted<decltype(call)>(std::move(given))) {
    static_assert(std::is_convertible_v<F, decltype(call)>,
                  "`.arrays` of an operation has another signature; expected: "
                  "std::vector<ablate::kernel_array> arrays(const ablate::axis_values&)");
  }
};

struct flops_function {
  std::function<double(const axis_values&)> call;

  flops_function() = default;
  template <class F>
  requires(!std::is_same_v<F, flops_function>) flops_function(F given)
      : call(converted<decltype(call)>(std::move(given))) {
    static_assert(std::is_convertible_v<F, decltype(call)>,
                  "`.flops` of an operation has another signature; expected: "
                  "double flops(const ablate::axis_values&)");
  }
};

struct reference_function {
  std::function<void(const spans&)> call;

  reference_function() = default;
  template <class F>
  requires(!std::is_same_v<F, reference_function>) reference_function(F given)
      : call(converted<decltype(call)>(std::move(given))) {
    static_assert(std::is_convertible_v<F, decltype(call)>,
                  "`.reference` of an operation has another signature; expected: "
                  "void reference(const ablate::spans&)");
  }
};

}  // namespace ablate::detail

namespace ABLATE_ABI {

/// An operation in short form: arrays by name instead of a problem struct. Everything that define.h requires
/// is derived from them.
struct kernel_definition {
  std::string name;
  std::string description;
  std::vector<axis> axes;
  /// The arrays at these axes; which of them a kernel reads and writes is the minimum work of every variant.
  detail::arrays_function arrays;
  /// Floating-point operations that every variant must do; empty function: not said.
  detail::flops_function flops = {};
  std::string baseline;
  /// The oracle, in plain C++ on host memory: reads in(), fills out(). Empty: the baseline's outputs are the
  /// answer. Then what the baseline gets wrong is not found, a record's checks say so (`against`), and
  /// nothing runs without a GPU.
  detail::reference_function reference = {};
  /// Launch functions by ABLATE_KERNEL.
  std::vector<variant<spans>> variants;
};

/// Registers an operation: `const bool defined = define_kernel({...});` at namespace scope, not in an unnamed
/// namespace. Throws std::logic_error if it has no output, an array twice, or a baseline that is none of its
/// variants or, where that is the oracle, does not run wherever another does.
bool define_kernel(kernel_definition);

}  // namespace ABLATE_ABI

/// The launch function `void function(ablate::launcher&, const ablate::spans&, const ablate::switches&)` of
/// the enclosing namespace, which it declares; null in a build without CUDA. After the function's definition
/// ABLATE_LAUNCH_FUNCTION(function) checks its signature.
#if ABLATE_HAS_CUDA
#define ABLATE_KERNEL(function)                                                            \
  [] {                                                                                     \
    void function(::ablate::launcher&, const ::ablate::spans&, const ::ablate::switches&); \
    extern const bool function##_has_no_ABLATE_LAUNCH_FUNCTION;                            \
    return function##_has_no_ABLATE_LAUNCH_FUNCTION ? nullptr : &function;                 \
  }()
#else
#define ABLATE_KERNEL(function) nullptr
#endif
