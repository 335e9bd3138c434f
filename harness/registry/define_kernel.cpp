#include "harness/registry/define_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <type_traits>

#include "harness/inputs/random_floats.h"
#include "harness/registry/array_operation.h"
#include "kernels/common/poison.h"

namespace ablate::detail {

template <class T>
array_difference difference(std::span<const T> right, std::span<const T> found, double tolerance) {
  array_difference out;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto wanted = static_cast<double>(right[i]), got = static_cast<double>(found[i]);
    // Exact where integers are wider than double's 53 bits; `!(<=)` because NaN must not pass.
    const double off = right[i] == found[i] ? 0 : std::abs(got - wanted) / std::max(1.0, std::abs(wanted));
    if (!(right[i] == found[i] || (tolerance > 0 && off <= tolerance))) {
      out.first = static_cast<std::int64_t>(i);
      return out;
    }
    out.greatest = std::max(out.greatest, off);
  }
  return out;
}

/// Only what no result is: a hash of 32 bits may well have the poison's.
template <class T>
std::int64_t first_poison(std::span<const T> found) {
  if constexpr (std::is_floating_point_v<T> || sizeof(T) == 8) {
    T poison;
    std::memset(&poison, poison_byte, sizeof poison);
    for (std::size_t i = 0; i < found.size(); ++i)
      if (std::memcmp(&found[i], &poison, sizeof poison) == 0) return static_cast<std::int64_t>(i);
  }
  return -1;
}

template array_difference difference(std::span<const float>, std::span<const float>, double);
template std::int64_t first_poison(std::span<const float>);
template array_difference difference(std::span<const double>, std::span<const double>, double);
template std::int64_t first_poison(std::span<const double>);
template array_difference difference(std::span<const std::int32_t>, std::span<const std::int32_t>, double);
template std::int64_t first_poison(std::span<const std::int32_t>);
template array_difference difference(std::span<const std::uint32_t>, std::span<const std::uint32_t>, double);
template std::int64_t first_poison(std::span<const std::uint32_t>);
template array_difference difference(std::span<const std::int64_t>, std::span<const std::int64_t>, double);
template std::int64_t first_poison(std::span<const std::int64_t>);
template array_difference difference(std::span<const std::uint8_t>, std::span<const std::uint8_t>, double);
template std::int64_t first_poison(std::span<const std::uint8_t>);

std::string element_text(double value) { return fmt::format("{}", value); }
std::string element_text(std::int64_t value) { return fmt::format("{}", value); }

}  // namespace ablate::detail

namespace ABLATE_ABI {

namespace {

void require_usable(const kernel_definition& d) {
  const auto refuse = [&](const std::string& why) {
    throw std::logic_error(fmt::format("operation '{}': {}", d.name, why));
  };
  for (const variant<spans>& v : d.variants)
    if (!v.limits.without.empty())
      refuse("variant '" + v.name + "' does without an array; expected it to take all");
  axis_values defaults;
  for (const axis& a : d.axes) defaults.set(a.name, a.canonical(a.default_value));
  require_arrays(d.name, d.arrays.call(defaults));
}

}  // namespace

kernel_array input_floats(std::string name, std::int64_t count) {
  return input_of<float>(name, count,
                         [count, name](std::uint64_t seed) { return random_floats(count, seed, name); });
}

bool define_kernel(kernel_definition given) {
  require_usable(given);
  array_definition d;
  d.name = std::move(given.name);
  d.description = std::move(given.description);
  d.axes = std::move(given.axes);
  d.arrays = std::move(given.arrays.call);
  d.flops = std::move(given.flops.call);
  d.baseline = std::move(given.baseline);
  d.reference = std::move(given.reference.call);
  for (variant<spans>& v : given.variants) {
    array_variant made{{v.name,
                        v.description,
                        v.switches,
                        v.limits.only_where,
                        v.limits.minimum_compute_capability,
                        v.launch != nullptr,
                        {},
                        v.limits.same_bits},
                       {}};
    if (v.launch)
      made.bind = [launch = v.launch, with = v.switches](const spans& arrays) {
        return [=](launcher& to) { launch(to, arrays, with); };
      };
    d.variants.push_back(std::move(made));
  }
  return define_arrays(std::move(d));
}

}  // namespace ABLATE_ABI
