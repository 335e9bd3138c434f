#include "harness/registry/define_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <type_traits>

#include "harness/inputs/random_floats.h"
#include "kernels/common/poison.h"

namespace ablate {

namespace detail {

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

}  // namespace detail

namespace {

std::size_t bytes_of(const kernel_array& a) { return a.element_bytes * static_cast<std::size_t>(a.count); }

spans spans_of(const std::vector<kernel_array>& arrays, const axis_values& at) {
  spans::facts facts;
  for (const kernel_array& a : arrays)
    facts.arrays.push_back({a.name, a.count, a.element_bytes, a.type, a.role != buffer_role::input,
                            a.role == buffer_role::output});
  facts.axes.assign(at.begin(), at.end());
  return spans(std::move(facts));
}

/// One workload: its inputs, and the answer once it is known.
struct kernel_case {
  std::vector<kernel_array> arrays;
  spans problem;
  void (*reference)(const spans&) = nullptr;
  std::vector<std::vector<std::byte>> inputs;  ///< by array; empty for others
  std::vector<std::vector<std::byte>> answer;  ///< by array; empty for all but outputs

  /// The reference on the inputs and this memory for everything else.
  void compute(std::span<void* const> written) const {
    std::vector<void*> addresses(written.begin(), written.end());
    std::vector<std::vector<std::byte>> scratch(arrays.size());
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      if (arrays[i].role == buffer_role::input)
        addresses[i] = const_cast<std::byte*>(inputs[i].data());  // spans hands it out as const
      if (arrays[i].role != buffer_role::scratch) continue;
      scratch[i].resize(bytes_of(arrays[i]));
      addresses[i] = scratch[i].data();
    }
    spans here = problem;
    here.attach(addresses);
    reference(here);
  }

  void compute_answer() {
    answer.resize(arrays.size());
    std::vector<void*> addresses(arrays.size(), nullptr);
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      if (arrays[i].role != buffer_role::output) continue;
      answer[i].resize(bytes_of(arrays[i]));
      addresses[i] = answer[i].data();
    }
    compute(addresses);
  }

  /// Throws std::runtime_error where the variant left an output unwritten: another that did so too would pass
  /// for right.
  void learn(const std::string& variant, std::span<const std::byte* const> outputs) {
    for (std::size_t i = 0; i < arrays.size(); ++i)
      if (arrays[i].role == buffer_role::output)
        if (const std::int64_t at = arrays[i].first_unwritten(outputs[i]); at >= 0)
          throw std::runtime_error(fmt::format("the variant '{}', which is the oracle, left {}[{}] unwritten",
                                               variant, arrays[i].name, at));
    answer.assign(arrays.size(), {});
    for (std::size_t i = 0; i < arrays.size(); ++i)
      if (arrays[i].role == buffer_role::output)
        answer[i].assign(outputs[i], outputs[i] + bytes_of(arrays[i]));
  }

  check_result check(std::span<const std::byte* const> outputs) {
    if (answer.empty()) {
      if (!reference) throw std::logic_error("a variant is the oracle, and was not launched before a check");
      compute_answer();
    }
    check_result result{.ok = true};
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      const kernel_array& a = arrays[i];
      if (a.role != buffer_role::output) continue;
      const array_difference found = a.compare(answer[i].data(), outputs[i]);
      if (found.first >= 0)
        return {false, fmt::format("{}[{}]: expected {}, found {}", a.name, found.first,
                                   a.text(answer[i].data(), found.first), a.text(outputs[i], found.first))};
      result.max_error = std::max(result.max_error, found.greatest);
      result.accepted_error = std::max(result.accepted_error, a.tolerance);
    }
    return result;
  }
};

workload workload_of(const kernel_definition& d, const axis_values& at, const input_library& library) {
  auto made = std::make_shared<kernel_case>();
  made->arrays = d.arrays(at);
  made->problem = spans_of(made->arrays, at);
  made->reference = d.reference;
  workload w;
  std::string hashes;
  for (const kernel_array& a : made->arrays) {
    std::vector<std::byte>& contents = made->inputs.emplace_back();
    const auto bytes = static_cast<double>(bytes_of(a));
    if (a.role == buffer_role::input) {
      contents = a.contents(library.seed());
      if (contents.size() != bytes_of(a))
        throw std::logic_error(fmt::format("operation '{}': array '{}' has {} elements, its contents {}",
                                           d.name, a.name, a.count, contents.size() / a.element_bytes));
      hashes += hash_hex(contents.data(), contents.size());
    }
    if (a.role == buffer_role::output) w.work.written_bytes += bytes;
    if (a.role != buffer_role::scratch) w.work.bytes += bytes;
  }
  for (const auto& contents : made->inputs) w.contents.push_back(contents);
  if (d.flops) w.work.flops = d.flops(at);
  w.input = {{"hash", hash_hex(hashes.data(), hashes.size())}};
  w.check = [made](std::span<const std::byte* const> outputs) { return made->check(outputs); };
  if (d.reference) {
    w.reference = [made](std::span<void* const> host) { made->compute(host); };
  } else {
    w.oracle_variant = d.baseline;
    w.learn = [made, by = d.baseline](std::span<const std::byte* const> outputs) {
      made->learn(by, outputs);
    };
  }
  w.storage = made;
  return w;
}

void require_usable(const kernel_definition& d) {
  const auto refuse = [&](const std::string& why) {
    throw std::logic_error(fmt::format("operation '{}': {}", d.name, why));
  };
  const auto baseline = std::ranges::find(d.variants, d.baseline, &variant<spans>::name);
  if (baseline == d.variants.end()) refuse("its baseline '" + d.baseline + "' is none of its variants");
  for (const variant<spans>& v : d.variants)
    if (!v.limits.without.empty())
      refuse("variant '" + v.name + "' does without an array; expected it to take all");
  if (!d.reference &&
      (!baseline->limits.only_where.empty() || baseline->limits.minimum_compute_capability > 80))
    refuse("its baseline is the oracle, so expected it to run at all axes from sm_80 on");
  axis_values defaults;
  for (const axis& a : d.axes) defaults.set(a.name, a.canonical(a.default_value));
  std::vector<std::string> names;
  bool has_output = false;
  for (const kernel_array& a : d.arrays(defaults)) {
    if (std::ranges::find(names, a.name) != names.end()) refuse("it has two arrays '" + a.name + "'");
    names.push_back(a.name);
    has_output = has_output || a.role == buffer_role::output;
  }
  if (!has_output) refuse("it has no output");
}

}  // namespace

kernel_array input_floats(std::string name, std::int64_t count) {
  return input_of<float>(name, count,
                         [count, name](std::uint64_t seed) { return random_floats(count, seed, name); });
}

bool define_kernel(kernel_definition given) {
  require_usable(given);
  const auto d = std::make_shared<const kernel_definition>(std::move(given));
  definition<spans> whole;
  whole.name = d->name;
  whole.description = d->description;
  if (!d->reference) whole.description += "; checked against its variant " + d->baseline;
  whole.axes = d->axes;
  whole.baseline = d->baseline;
  whole.problem = [d](const axis_values& at, const input_library&) { return spans_of(d->arrays(at), at); };
  whole.buffers = [](const spans& p) {
    std::vector<buffer> buffers;
    for (const spans::array& a : p.arrays())
      buffers.push_back({a.name, a.bytes(),
                         a.is_output    ? buffer_role::output
                         : a.is_written ? buffer_role::scratch
                                        : buffer_role::input,
                         a.is_output ? buffer_reset::poison : buffer_reset::none});
    return buffers;
  };
  whole.attach = [](spans& p, std::span<void* const> addresses) { p.attach(addresses); };
  whole.prepare = [d](const spans&, const axis_values& at, const input_library& inputs) {
    return workload_of(*d, at, inputs);
  };
  whole.variants = d->variants;
  return define<spans>(std::move(whole));
}

}  // namespace ablate
