#include "reports/views/metrics.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "base/record/bounded.h"

namespace ablate::reports {
namespace {

using value = std::optional<double>;

constexpr const char* cycles = "sm__cycles_active.avg";

value per(value amount, value of) { return amount && of && *of > 0 ? value(*amount / *of) : std::nullopt; }

value gigabytes_per_s(const measured_case& c, const char* counter) {
  return per(c.counters.value(counter), c.time.median_us * 1e3);
}

value occupancy_of(const record& r, const measured_case::kernel_launch& kernel) {
  const auto architecture = r.device.find("architecture");
  if (architecture == r.device.end() || !architecture->is_string()) return std::nullopt;
  for (const auto& [name, occupancy] : kernel.theoretical_occupancy)
    if (name == architecture->get<std::string>()) return occupancy;
  return std::nullopt;
}

/// Nothing if they differ: for launches counted together, it is unknown which one took the cycles.
value common_occupancy(const record& r, const std::vector<const measured_case::kernel_launch*>& launches) {
  const value first = occupancy_of(r, *launches.front());
  const bool differ = std::any_of(launches.begin(), launches.end(),
                                  [&](const auto* launch) { return occupancy_of(r, *launch) != first; });
  return differ ? std::nullopt : first;
}

/// The kernels' theoretical occupancies on this record's device, in percent, weighted like the achieved ones:
/// by the cycles in which a kernel was active. Nothing if one is unknown.
value theoretical_occupancy_pct(const record& r, const measured_case& c) {
  if (c.kernels.empty()) return std::nullopt;
  if (c.kernels.size() == 1) {
    const value only = occupancy_of(r, c.kernels[0]);
    return only ? value(100 * *only) : std::nullopt;
  }
  const auto launches = c.counted_launches();
  double sum = 0, weights = 0;
  for (std::size_t i = 0; i < launches.size(); ++i) {
    const value occupancy = common_occupancy(r, launches[i]);
    const value weight = find_counter(c.counters.kernels[i].values, cycles);
    if (!occupancy || !weight) return std::nullopt;
    sum += *occupancy * *weight;
    weights += *weight;
  }
  return weights > 0 ? value(100 * sum / weights) : std::nullopt;
}

/// Dense FLOPs with 16-bit inputs and 32-bit accumulation, under whichever chip's counter names exist:
/// mma.sync and wgmma are counted separately on GH100, together on GA100.
value tensor_flops(const measured_case& c) {
  value sum;
  const auto add = [&](const char* counter) {
    if (const value v = c.counters.value(counter)) sum = sum.value_or(0) + *v;
  };
  for (const char* counter : {"sm__ops_path_tensor_op_hmma_src_bf16_dst_fp32_sparsity_off.sum",
                              "sm__ops_path_tensor_op_hmma_src_fp16_dst_fp32_sparsity_off.sum",
                              "sm__ops_path_tensor_op_hgmma_src_bf16_dst_fp32_sparsity_off.sum",
                              "sm__ops_path_tensor_op_hgmma_src_fp16_sparsity_off.sum"})
    add(counter);
  if (!sum)
    for (const char* counter : {"sm__ops_path_tensor_src_bf16_dst_fp32_sparsity_off.sum",
                                "sm__ops_path_tensor_src_fp16_dst_fp32_sparsity_off.sum"})
      add(counter);
  return sum;
}

value tensor_flop_pct(const record& r, const measured_case& c) {
  const value rate = per(tensor_flops(c), c.time.median_us * 1e-6);
  return per(rate ? value(100 * *rate) : std::nullopt, flops_per_s(r.ceilings, "tensor_bf16"));
}

/// The work an operation must do, whatever its kernels do: comparable even without counters.
value work_flop_pct(const record& r, const measured_case& c) {
  const value ceiling = flops_per_s(r.ceilings, c.work.flop_pipe);
  if (!ceiling || !(c.work.flops > 0)) return std::nullopt;
  return 100 * c.work.flops / (c.time.median_us * 1e-6) / *ceiling;
}

constexpr metric all[] = {
    {"sm_active_pct", "SM active (%)", "sm__cycles_active.avg.pct_of_peak_sustained_elapsed",
     [](const record&, const measured_case& c) {
       return c.counters.value("sm__cycles_active.avg.pct_of_peak_sustained_elapsed");
     }},
    {"sm_issue_pct", "SM issue (%)", "sm__inst_executed.avg.pct_of_peak_sustained_elapsed",
     [](const record&, const measured_case& c) {
       return c.counters.value("sm__inst_executed.avg.pct_of_peak_sustained_elapsed");
     }},
    {"issue_while_active_pct", "issue while SM active (%)",
     "smsp__issue_active.avg.pct_of_peak_sustained_active",
     [](const record&, const measured_case& c) {
       return c.counters.value("smsp__issue_active.avg.pct_of_peak_sustained_active");
     }},
    {"tensor_pct", "tensor pipe active (%)",
     "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed",
     [](const record&, const measured_case& c) {
       return c.counters.value("sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed");
     }},
    {"tensor_while_active_pct", "tensor pipe while SM active (%)",
     "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active",
     [](const record&, const measured_case& c) {
       return c.counters.value("sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active");
     }},
    {"tensor_flop_pct", "tensor FLOPs of the measured ceiling (%)",
     "sum of the dense sm__ops_path_tensor_* / median time / the fastest ceiling of the pipe tensor_bf16",
     tensor_flop_pct},
    {"work_flop_pct", "FLOPs of the work, of the ceiling (%)",
     "work.flops / median time / the fastest ceiling of work.flop_pipe", work_flop_pct},
    {"dram_read_mb", "DRAM read (MB)", "dram__bytes_read.sum",
     [](const record&, const measured_case& c) {
       return per(c.counters.value("dram__bytes_read.sum"), 1e6);
     }},
    {"dram_read_gb_s", "DRAM read (GB/s)", "dram__bytes_read.sum / median time",
     [](const record&, const measured_case& c) { return gigabytes_per_s(c, "dram__bytes_read.sum"); }},
    {"dram_write_gb_s", "DRAM write (GB/s)", "dram__bytes_write.sum / median time",
     [](const record&, const measured_case& c) { return gigabytes_per_s(c, "dram__bytes_write.sum"); }},
    {"occupancy_pct", "achieved occupancy (%)", "sm__warps_active.avg.pct_of_peak_sustained_active",
     [](const record&, const measured_case& c) {
       return c.counters.value("sm__warps_active.avg.pct_of_peak_sustained_active");
     }},
    {"theoretical_occupancy_pct", "theoretical occupancy (%)",
     "of each kernel by the compiler's report, weighted by sm__cycles_active.avg", theoretical_occupancy_pct},
    {"l2_hit_pct", "L2 hit rate (%)", "lts__t_request_hit_rate.pct",
     [](const record&, const measured_case& c) { return c.counters.value("lts__t_request_hit_rate.pct"); }},
    {"red_sectors_per_point", "L2 reduction sectors per point",
     "lts__t_sectors_op_red.sum / points of the input",
     [](const record&, const measured_case& c) {
       return per(c.counters.value("lts__t_sectors_op_red.sum"), c.items());
     }},
    {"atom_sectors_per_point", "L2 atomic sectors per point",
     "lts__t_sectors_op_atom.sum / points of the input",
     [](const record&, const measured_case& c) {
       return per(c.counters.value("lts__t_sectors_op_atom.sum"), c.items());
     }},
    {"points_per_atomic", "points per atomic", "counted by the instrumented form, run once, never timed",
     [](const record&, const measured_case& c) { return c.points_per_atomic(); }},
};

}  // namespace

std::optional<double> metric::of(const record& r, const measured_case& c) const {
  const auto read = as_read(r, c);
  if (!read || !name.ends_with("_pct")) return read;
  const bool is_of_ceiling = formula.find("ceiling") != std::string_view::npos;
  return is_of_ceiling ? shown_figure(*read, 100, ceiling_slack) : shown_figure(*read, 100);
}

std::span<const metric> case_metrics() { return all; }

const metric& metric_named(std::string_view name) {
  const auto found =
      std::find_if(std::begin(all), std::end(all), [&](const auto& m) { return m.name == name; });
  if (found == std::end(all)) throw std::out_of_range("no metric " + std::string(name));
  return *found;
}

}  // namespace ablate::reports
