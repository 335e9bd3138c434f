#include "reports/explain/explanation.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "base/record/bounded.h"
#include "base/record/floors.h"
#include "base/text/text.h"
#include "reports/ablation/pairs.h"
#include "reports/views/metrics.h"
#include "reports/views/operation_view.h"

namespace ablate::explain {
namespace {

using reports::with_prefix;
using value = std::optional<double>;

std::string architecture_of(const record& from) {
  const auto found = from.device.find("architecture");
  return found != from.device.end() && found->is_string() ? found->get<std::string>() : "";
}

/// The work, and the rate of the ceiling it is compared with.
std::string held_against(double count, const value& floor_us, const char* unit) {
  const std::string work = with_prefix(count) + unit;
  return floor_us && *floor_us > 0
             ? fmt::format("{} at {}{}/s", work, with_prefix(count / *floor_us * 1e6), unit)
             : work;
}

std::vector<floor_line> floors_of(const measured_case& c) {
  std::vector<floor_line> out;
  if (!c.floors) return out;
  const auto& f = *c.floors;
  const auto floor = floor_of(c), model = model_of(c);
  const auto push = [&](const char* name, const value& us, std::string at) {
    const bool binds = (floor && floor->name == name) || (model && model->name == name);
    out.push_back({name, us, std::move(at), is_of_model(name), binds});
  };
  const auto add = [&](const char* name, const value& us, double count, const char* unit) {
    if (count > 0) push(name, us, held_against(count, us, unit));
  };
  push("launch", f.launch_us, "");
  add("bytes", f.bytes_us, c.work.bytes, "B");
  add("flops", f.flops_us, c.work.flops, "FLOP");
  add("exponentials", f.exponentials_us, c.work.exponentials.value_or(0), "exponentials");
  add("atomics", f.atomics_us, c.work.atomics, "atomics");
  add("random", f.random_us, c.work.random_accesses(), "accesses");
  add("gathered", f.gathered_us, c.work.gathered_bytes.value_or(0), "B");
  double steps = 0;
  for (const auto& kind : c.work.steps) steps += kind.count;
  if (steps > 0) push("steps", f.steps_us, with_prefix(steps) + " steps, each by its slowest resource");
  return out;
}

/// FLOPs counted by the tensor pipe and the patched FP32 instructions; nothing if neither was read.
value counted_flops(const measured_case& c) {
  value sum;
  const auto add = [&](double amount) { sum = sum.value_or(0) + amount; };
  for (const auto& [name, counted] : c.counters.values)
    if (counted && name.starts_with("sm__ops_path_tensor_") && name.ends_with("_sparsity_off.sum") &&
        name.find("int8") == std::string::npos)
      add(*counted);
  constexpr std::pair<const char*, double> per_instruction[] = {{"fadd", 1}, {"fmul", 1}, {"ffma", 2}};
  for (const auto& [kind, flops] : per_instruction)
    if (const value counted =
            c.counters.value(fmt::format("smsp__sass_thread_inst_executed_op_{}_pred_on.sum", kind)))
      add(flops * *counted);
  return sum;
}

value counted_atomics(const measured_case& c) { return find_counter(c.instrumented, "atomics"); }

std::vector<counter_line> counters_of(const measured_case& c, const counter_meanings& meanings) {
  std::vector<counter_line> out;
  for (const auto& [name, counted] : c.counters.values) {
    counter_line& line = out.emplace_back(counter_line{name, "", "", counted, "", ""});
    if (const auto found = meanings.find(name); found != meanings.end()) {
      line.display = found->second.display;
      line.unit = found->second.unit;
    }
    if (counted && !reports::shown_counter(name, *counted))
      line.not_shown = reports::beyond_bound(*counted, reports::max_of_counter(name).value_or(0));
    if (counted) continue;
    const std::string* why = find_word(c.counters.missing, name);
    line.missing = why ? *why : "not read";
  }
  return out;
}

std::vector<kernel_line> kernels_of(const record& from, const measured_case& c) {
  const std::string architecture = architecture_of(from);
  const auto counted = c.counted_launches();
  const auto cycles = [&](std::size_t i) {
    return i < counted.size() ? find_counter(c.counters.kernels[i].values, "sm__cycles_elapsed.max")
                              : std::nullopt;
  };
  const std::size_t lines = counted.empty() ? c.kernels.size() : counted.size();
  value sum = 0;
  for (std::size_t i = 0; i < lines; ++i) {
    const value own = cycles(i);
    sum = sum && own ? value(*sum + *own) : std::nullopt;
  }
  std::vector<kernel_line> out;
  for (std::size_t i = 0; i < lines; ++i) {
    const auto& kernel = counted.empty() ? c.kernels[i] : *counted[i].front();
    const long launches = counted.empty() ? 1 : static_cast<long>(counted[i].size());
    kernel_line line{kernel.name, launches, kernel.grid, kernel.block, {}, {}, kernel.dynamic_shared_bytes,
                     {}};
    if (sum && *sum > 0) line.share = *cycles(i) / *sum;
    for (const auto& [name, builds] : from.kernels)
      if (name == kernel.name)
        for (const auto& [built_for, facts] : builds)
          if (built_for == architecture) line.compiled = facts;
    line.theoretical_occupancy = find_counter(kernel.theoretical_occupancy, architecture);
    out.push_back(line);
  }
  return out;
}

std::optional<std::string> word_of(const named_words& words, const std::string& name) {
  const std::string* found = find_word(words, name);
  return found ? std::optional(*found) : std::nullopt;
}

void place_among_variants(const record& from, const measured_case& c,
                          std::shared_ptr<const reports::case_launches> launches, explanation& out) {
  if (c.ceiling) return;
  reports::operation_view view(from, c.operation);
  view.launches = std::move(launches);
  const auto row = std::find_if(view.rows.begin(), view.rows.end(),
                                [&](const auto& at) { return at.of(c.variant) == &c; });
  if (row == view.rows.end()) return;
  std::size_t faster = 0;
  const measured_case* fastest = &c;
  for (const auto& [variant, other] : row->by_variant) {
    if (other->time.median_us < c.time.median_us) ++faster;
    if (other->time.median_us < fastest->time.median_us) fastest = other;
  }
  out.stands = standing{faster + 1,
                        row->by_variant.size(),
                        fastest->variant,
                        view.baseline,
                        view.speed_up_between(*fastest, c),
                        view.speed_up_of(*row, c.variant)};
  if (fastest == &c) out.stands->of_fastest = {1, 1, 1};

  for (const auto& [variant, other] : row->by_variant)
    if (const auto change = reports::single_change(c.switches, other->switches);
        change && reports::same_input(c, *other))
      out.neighbors.push_back({variant, change->name, word_of(c.switches, change->name),
                               word_of(other->switches, change->name), view.speed_up_between(c, *other)});
  std::stable_sort(out.neighbors.begin(), out.neighbors.end(),
                   [](const neighbor& a, const neighbor& b) { return a.speed.ratio > b.speed.ratio; });
}

std::string description_of(const record& from, const std::string& operation, const std::string& variant) {
  for (const auto& facts : from.operations)
    if (facts.name == operation)
      if (const std::string* found = find_word(facts.variants, variant)) return *found;
  return "";
}

}  // namespace

value amount::waste_factor() const {
  return measured && *measured > 0 && declared > 0 ? value(*measured / declared) : std::nullopt;
}

std::vector<amount> amounts_of(const measured_case& c) {
  const value read = c.counters.value("dram__bytes_read.sum"),
              written = c.counters.value("dram__bytes_write.sum");
  const value moved = read && written ? value(*read + *written) : std::nullopt;
  const value flops = counted_flops(c), atomics = counted_atomics(c);
  std::vector<amount> out = {
      {"bytes", "B", c.work.bytes, moved,
       moved ? "DRAM read and written; writes still in L2 are not counted" : "no counters of DRAM were read"},
      {"flops", "FLOP", c.work.flops, flops,
       flops ? "tensor and FP32 instructions, by the counters that were read"
             : "no counters of FLOPs were read (`--counters full`, or a group tensor_*)"},
      {"atomics", "atomics", c.work.atomics, atomics,
       atomics ? "the instrumented form, run once, never timed"
               : "no instrumented form counts them by that name"}};
  std::erase_if(out, [](const amount& a) { return !(a.declared > 0) && !(a.measured.value_or(0) > 0); });
  return out;
}

explanation explain_case(const record& from, const std::string& name, const counter_meanings& meanings,
                         std::shared_ptr<const reports::case_launches> launches) {
  explanation out;
  out.from = &from;
  for (const measured_case& c : from.cases)
    if (c.name == name) {
      out.measured = &c;
      if (launches) out.launches = launches->of(c).size();
      out.variant_description = description_of(from, c.operation, c.variant);
      out.floors = floors_of(c);
      out.amounts = amounts_of(c);
      for (const reports::metric& m : reports::case_metrics())
        if (const value v = m.as_read(from, c))
          out.figures.push_back({std::string(m.name), std::string(m.title), std::string(m.formula), *v,
                                 m.of(from, c).has_value()});
      out.counters = counters_of(c, meanings);
      out.kernels = kernels_of(from, c);
      place_among_variants(from, c, std::move(launches), out);
      out.commands = commands_of(from, name, c.operation, c.variant);
      return out;
    }
  for (const unmeasured_case& c : from.unmeasured)
    if (c.name == name) {
      out.unmeasured = &c;
      out.variant_description = description_of(from, c.operation, c.variant);
      if (c.status != "not_applicable") out.commands = commands_of(from, name, c.operation, c.variant);
      return out;
    }
  throw std::out_of_range("the record has no case " + name);
}

}  // namespace ablate::explain
