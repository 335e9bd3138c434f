#include "harness/registry/array_operation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>

#include "harness/inputs/random.h"

namespace ABLATE_ABI {

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
  std::function<void(const spans&)> reference;
  std::vector<std::vector<std::byte>> inputs;  ///< by array; empty for others
  std::uint64_t seed = 0;                      ///< of editions
  /// By array; empty for all but outputs. Without arrays: not known yet.
  using outputs = std::vector<std::vector<std::byte>>;
  outputs answer, changed_answer;  ///< to the inputs; to the edition that was asked for last
  std::uint64_t edition = 0, changed_edition = 0;

  /// A few elements in a row take the values of others: one element or many, so that what looks at some
  /// places only misses them, and what sums up all of them sees a difference.
  std::optional<changed_bytes> change_of(std::size_t array, std::uint64_t to_edition) const {
    const kernel_array& a = arrays[array];
    if (!a.may_change || a.count < 2) return std::nullopt;
    random_stream random(seed, fmt::format("{}, edition {}", a.name, to_edition));
    const auto below = [&random](std::size_t count) {
      return static_cast<std::size_t>(random.next() % count);
    };
    const std::vector<std::byte>& all = inputs[array];
    const auto count = static_cast<std::size_t>(a.count);
    constexpr int tries = 16;  // where many elements are equal
    for (int i = 0; i < tries; ++i) {
      const std::size_t elements =
          std::min({std::size_t{1} << below(8), count / 2, changed_bytes::most / a.element_bytes});
      const std::size_t bytes = elements * a.element_bytes;
      const std::size_t at = below(count - elements + 1) * a.element_bytes,
                        from = below(count - elements + 1) * a.element_bytes;
      if (std::memcmp(&all[at], &all[from], bytes) != 0)
        return changed_bytes{array, at, {&all[from], &all[from] + bytes}};
    }
    return std::nullopt;
  }

  std::vector<changed_bytes> changes(std::uint64_t to_edition) const {
    std::vector<changed_bytes> out;
    for (std::size_t i = 0; i < arrays.size(); ++i)
      if (auto change = change_of(i, to_edition)) out.push_back(std::move(*change));
    return out;
  }

  bool turn_to(std::uint64_t wanted) {
    edition = wanted;
    if (wanted == 0 || (wanted == changed_edition && !changed_answer.empty())) return false;
    changed_edition = wanted;
    changed_answer.clear();
    return !reference;
  }

  outputs& right() { return edition == 0 ? answer : changed_answer; }

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

  outputs computed() const {
    outputs made(arrays.size());
    std::vector<void*> addresses(arrays.size(), nullptr);
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      if (arrays[i].role != buffer_role::output) continue;
      made[i].resize(bytes_of(arrays[i]));
      addresses[i] = made[i].data();
    }
    compute(addresses);
    return made;
  }

  /// Exchanges bytes of the inputs for those of a change, and back.
  void exchange(std::vector<changed_bytes>& changed) {
    for (changed_bytes& c : changed)
      std::ranges::swap_ranges(c.bytes, std::span(inputs[c.buffer]).subspan(c.offset, c.bytes.size()));
  }

  outputs computed_of_edition() {
    if (edition == 0) return computed();
    std::vector<changed_bytes> changed = changes(edition);
    exchange(changed);
    try {
      outputs made = computed();
      exchange(changed);
      return made;
    } catch (...) {
      exchange(changed);
      throw;
    }
  }

  /// Throws std::runtime_error where the variant left an output unwritten: another that did so too would pass
  /// for right.
  void learn(const std::string& variant, std::span<const std::byte* const> found) {
    for (std::size_t i = 0; i < arrays.size(); ++i)
      if (arrays[i].role == buffer_role::output)
        if (const std::int64_t at = arrays[i].first_unwritten(found[i]); at >= 0)
          throw std::runtime_error(fmt::format("the variant '{}', which is the oracle, left {}[{}] unwritten",
                                               variant, arrays[i].name, at));
    outputs& learned = right();
    learned.assign(arrays.size(), {});
    for (std::size_t i = 0; i < arrays.size(); ++i)
      if (arrays[i].role == buffer_role::output) learned[i].assign(found[i], found[i] + bytes_of(arrays[i]));
  }

  check_result check(std::span<const std::byte* const> seen) {
    outputs& expected = right();
    if (expected.empty()) {
      if (!reference) throw std::logic_error("a variant is the oracle, and was not launched before a check");
      expected = computed_of_edition();
    }
    check_result result{.ok = true};
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      const kernel_array& a = arrays[i];
      if (a.role != buffer_role::output) continue;
      const array_difference found = a.compare(expected[i].data(), seen[i]);
      if (found.first >= 0)
        return {false, fmt::format("{}[{}]: expected {}, found {}", a.name, found.first,
                                   a.text(expected[i].data(), found.first), a.text(seen[i], found.first))};
      result.max_error = std::max(result.max_error, found.greatest);
      result.accepted_error = std::max(result.accepted_error, a.tolerance);
    }
    return result;
  }
};

workload workload_of(const array_definition& d, const axis_values& at, const input_library& library) {
  auto made = std::make_shared<kernel_case>();
  made->arrays = d.arrays(at);
  made->problem = spans_of(made->arrays, at);
  made->reference = d.reference;
  made->seed = library.seed();
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
  if (d.answer) {
    made->answer = d.answer(at);
  } else if (d.reference) {
    w.reference = [made](std::span<void* const> host) { made->compute(host); };
  } else {
    w.oracle_variant = d.baseline;
    w.learn = [made, by = d.baseline](std::span<const std::byte* const> outputs) {
      made->learn(by, outputs);
    };
  }
  // What files hold is the answer to the inputs as they are, and to no others.
  if (!d.answer && !made->changes(1).empty())
    w.editions = {[made](std::uint64_t edition) { return made->changes(edition); },
                  [made](std::uint64_t edition) { return made->turn_to(edition); }};
  w.storage = made;
  return w;
}

class array_operation final : public operation {
 public:
  explicit array_operation(array_definition d) : definition_(std::move(d)) {
    name = definition_.name;
    description = definition_.description;
    if (!definition_.has_oracle()) description += "; checked against its variant " + definition_.baseline;
    axes = definition_.axes;
    baseline = definition_.baseline;
    for (const array_variant& v : definition_.variants) variants.push_back(v.facts);
  }

  std::vector<buffer> buffers(const axis_values& at, const input_library&) const override {
    std::vector<buffer> all;
    for (const kernel_array& a : definition_.arrays(at))
      all.push_back({a.name, bytes_of(a), a.role,
                     a.role == buffer_role::output ? buffer_reset::poison : buffer_reset::none});
    return all;
  }

  workload prepare(const axis_values& at, const input_library& inputs) const override {
    return workload_of(definition_, at, inputs);
  }

  std::function<void(launcher&)> bind(const variant_facts& which, const axis_values& at, const input_library&,
                                      std::span<void* const> addresses) const override {
    const auto v = std::ranges::find(definition_.variants, which.name,
                                     [](const array_variant& one) { return one.facts.name; });
    if (v == definition_.variants.end())
      throw std::logic_error("operation '" + name + "' has no variant '" + which.name + "'");
    spans here = spans_of(definition_.arrays(at), at);
    here.attach(addresses);
    return v->bind(here);
  }

  std::optional<std::string> refuses(const axis_values& at) const override {
    return definition_.refuses ? definition_.refuses(at) : std::nullopt;
  }

 private:
  array_definition definition_;
};

}  // namespace

void require_arrays(const std::string& operation, const std::vector<kernel_array>& arrays) {
  const auto refuse = [&](const std::string& why) {
    throw std::logic_error(fmt::format("operation '{}': {}", operation, why));
  };
  std::vector<std::string> names;
  bool has_output = false;
  for (const kernel_array& a : arrays) {
    if (std::ranges::find(names, a.name) != names.end()) refuse("it has two arrays '" + a.name + "'");
    names.push_back(a.name);
    has_output = has_output || a.role == buffer_role::output;
  }
  if (!has_output) refuse("it has no output");
}

bool define_arrays(array_definition d) {
  const auto refuse = [&](const std::string& why) {
    throw std::logic_error(fmt::format("operation '{}': {}", d.name, why));
  };
  const auto baseline =
      std::ranges::find(d.variants, d.baseline, [](const array_variant& v) { return v.facts.name; });
  if (baseline == d.variants.end()) refuse("its baseline '" + d.baseline + "' is none of its variants");
  const int from = baseline->facts.minimum_compute_capability;
  const bool runs_everywhere =
      baseline->facts.only_where.empty() && std::ranges::none_of(d.variants, [&](const array_variant& v) {
        return v.facts.minimum_compute_capability < from;
      });
  if (!d.has_oracle() && !runs_everywhere)
    refuse(
        "its baseline is the oracle, so expected it to run at all axes and on every GPU that another does");
  return register_operation(std::make_unique<array_operation>(std::move(d)));
}

}  // namespace ABLATE_ABI
