#include "reports/predict/seen.h"

#include <algorithm>
#include <utility>

#include "base/record/facts.h"
#include "base/record/floors.h"
#include "base/statistics/quantile.h"

namespace ablate::predict {
namespace {

using rate = std::optional<double> measured_rates::*;
constexpr rate all_rates[] = {&measured_rates::dram_copy,      &measured_rates::dram_read,
                              &measured_rates::dram_write,     &measured_rates::l2,
                              &measured_rates::random_sectors, &measured_rates::atomics,
                              &measured_rates::launch_us,      &measured_rates::launch_hot_us};

std::optional<seen_case::counted> counted_in(const counter_readings& read) {
  const auto value = [&](const char* name) { return read.value(name); };
  const auto instructions = value("smsp__inst_executed.sum");
  const auto dram_read = value("dram__bytes_read.sum"), dram_write = value("dram__bytes_write.sum");
  const auto requests = value("lts__t_requests.sum");
  if (!instructions || !dram_read || !dram_write || !requests) return std::nullopt;
  return seen_case::counted{
      *dram_read,
      *dram_write,
      *requests,
      value("lts__t_sectors_op_red.sum").value_or(0) + value("lts__t_sectors_op_atom.sum").value_or(0),
      *instructions,
      value("sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed").value_or(0) / 100,
      value("smsp__issue_active.avg.pct_of_peak_sustained_elapsed").value_or(0) / 100};
}

std::optional<seen_case::floor_us> floors_in(const measured_case& c) {
  if (!c.floors) return std::nullopt;
  seen_case::floor_us out;
  out.bytes = c.floors->bytes_us.value_or(0);
  out.flops = c.floors->flops_us.value_or(0);
  out.atomics = c.floors->atomics_us.value_or(0);
  out.random = c.floors->random_us ? *c.floors->random_us : 0;
  out.tensor = c.work.flop_pipe.starts_with("tensor");
  return out;
}

/// What cannot be compiled for an architecture is an empty kernel there, of 4 registers.
constexpr long registers_of_nothing = 8, registers_of_something = 32;

bool is_empty(const record& r, const std::string& kernel, const std::string& architecture) {
  const auto found =
      std::find_if(r.kernels.begin(), r.kernels.end(), [&](const auto& one) { return one.first == kernel; });
  if (found == r.kernels.end()) return false;
  long here = registers_of_something, most = 0;
  for (const auto& [of, code] : found->second) {
    if (of == architecture) here = code.registers;
    most = std::max(most, code.registers);
  }
  return here <= registers_of_nothing && most >= registers_of_something;
}

std::vector<std::string> architectures_of(const record& r, const measured_case& c) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < c.kernels.size(); ++i) {
    std::vector<std::string> of_kernel;
    for (const auto& [architecture, occupancy] : c.kernels[i].theoretical_occupancy)
      if (occupancy && static_cast<double>(*occupancy) > 0 && !is_empty(r, c.kernels[i].name, architecture))
        of_kernel.push_back(architecture);
    if (i == 0)
      out = of_kernel;
    else
      std::erase_if(out, [&](const std::string& one) {
        return std::find(of_kernel.begin(), of_kernel.end(), one) == of_kernel.end();
      });
  }
  // Where it ran it has code.
  if (const auto here = reports::fact(r.device, "architecture"))
    if (std::find(out.begin(), out.end(), *here) == out.end()) out.push_back(*here);
  return out;
}

bool is_rival(const record& r, const measured_case& c) {
  return std::any_of(r.rivals.begin(), r.rivals.end(), [&](const record::rival_facts& rival) {
    return std::find(rival.variants.begin(), rival.variants.end(), c.variant) != rival.variants.end();
  });
}

const named_words* silent_axes_of(const record& r, const std::string& operation) {
  for (const record::operation_facts& of : r.operations)
    if (of.name == operation) return &of.silent_axes;
  return nullptr;
}

}  // namespace

bool measured_rates::is_complete() const {
  return std::all_of(std::begin(all_rates), std::end(all_rates),
                     [&](rate of) { return (this->*of).has_value(); });
}

measured_rates rates_of(const measured_ceilings& ceilings) {
  const auto per_s = [&](const char* name) -> std::optional<double> {
    const auto found = ceilings.find(name);
    return found == ceilings.end() || !(found->second.rate_per_s > 0)
               ? std::nullopt
               : std::optional(found->second.rate_per_s);
  };
  const auto us = [&](const char* name) -> std::optional<double> {
    const auto found = ceilings.find(name);
    return found == ceilings.end() || !(found->second.us > 0) ? std::nullopt
                                                              : std::optional(found->second.us);
  };
  return {per_s("dram_copy_bytes"),
          per_s("dram_read_bytes"),
          per_s("dram_write_bytes"),
          per_s("l2_bytes"),
          per_s("random_read_sectors_16mib"),
          per_s("atomics_distinct"),
          us("launch"),
          us("launch_hot")};
}

measured_rates with_missing_of(measured_rates first, const measured_rates& others) {
  for (const rate of : all_rates)
    if (!(first.*of)) first.*of = others.*of;
  return first;
}

measured_rates medians_of(const std::vector<measured_rates>& all) {
  measured_rates out;
  for (const rate of : all_rates) {
    std::vector<double> values;
    for (const measured_rates& one : all)
      if (one.*of) values.push_back(*(one.*of));
    if (!values.empty()) out.*of = gate::median(values);
  }
  return out;
}

double seen_case::floor_us::of_work() const { return std::max({bytes, flops, atomics, random}); }

seen_record seen_in(const record& r, std::string folder) {
  seen_record out{std::move(folder),    reports::fact(r.device, "chip").value_or(""),
                  r.specimen,           r.date,
                  rates_of(r.ceilings), {}};
  if (!r.on_gpu) return out;
  for (const measured_case& c : r.cases) {
    if (c.ceiling || c.operation == "ceilings") continue;
    seen_case seen{c.operation,
                   c.variant,
                   c.cache_state,
                   c.time.method,
                   c.name,
                   c.axes,
                   {},
                   c.time.median_us,
                   c.time.ci95_low_us,
                   c.time.ci95_high_us,
                   counted_in(c.counters),
                   floors_in(c),
                   reports::input_hash(c),
                   std::max<std::size_t>(c.kernels.size(), 1),
                   architectures_of(r, c),
                   is_rival(r, c)};
    if (const named_words* silent = silent_axes_of(r, c.operation))
      for (const auto& [axis, value] : c.axes)
        if (const std::string* usual = find_word(*silent, axis); usual && *usual == value)
          seen.at_default.push_back(axis);
    std::sort(seen.axes.begin(), seen.axes.end());
    out.cases.push_back(std::move(seen));
  }
  return out;
}

std::string workload_of(const seen_case& c) {
  std::string out = c.operation + "@" + c.cache_state + "@" + c.method;
  for (const auto& [axis, value] : c.axes)
    if (std::find(c.at_default.begin(), c.at_default.end(), axis) == c.at_default.end())
      out += "/" + axis + "=" + value;
  return out;
}

std::string key_of(const seen_case& c) { return c.variant + "/" + workload_of(c); }

}  // namespace ablate::predict
