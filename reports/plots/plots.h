#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "reports/views/operation_view.h"

namespace ablate::reports {

/// A Vega-Lite specification with its data, and its file name (without extension), which is the same in every
/// report of the suite. A plot never mixes devices, cache states or timing methods.
struct plot {
  std::string name;
  std::string title;
  nlohmann::ordered_json specification;
};

/// Time and throughput against each integer axis, one plot per group of at least three sizes; at most
/// `limit`, those with the most sizes first.
std::vector<plot> scaling_plots(const operation_view&, const std::string& device, std::size_t limit);
/// Time and the headline counters against each integer axis, one plot per group of at least three sizes; none
/// if nothing was counted. At most `limit`, those with the most sizes first.
std::vector<plot> metric_plots(const record&, const operation_view&, std::size_t limit);
/// Each kernel's share of its case's SM cycles, by size; only for variants with several kernels and sizes.
std::vector<plot> kernel_plots(const record&, const operation_view&, std::size_t limit);
/// Activity over time, one plot per sampled case.
std::vector<plot> timeline_plots(const record&, const operation_view&);
/// Speed-up of each variant over the baseline, workload by variant.
std::vector<plot> speed_up_plots(const operation_view&, const std::string& device);
/// Time over the task's floor by workload.
std::vector<plot> floor_plots(const operation_view&, const std::string& device);
/// Each output quality figure that differs, against the median time, one plot per set of workloads of one
/// size; at most `limit`, those with the most cases.
std::vector<plot> quality_plots(const operation_view&, const std::string& device, std::size_t limit);
/// The output sample that a case kept, one plot per case that has one.
std::vector<plot> picture_plots(const record&, const operation_view&);
/// Time over the fastest variant's, variant by size: one plot per group of at least three sizes and variants;
/// at most `limit`, those with the most sizes first.
std::vector<plot> best_plots(const operation_view&, const std::string& device, std::size_t limit);
/// Energy of a launch against time, a mark a variant: of the workload at which the most variants have it, the
/// last of these; none where fewer than two have.
std::vector<plot> energy_plots(const operation_view&, const std::string& device);
/// Points per atomic of the instrumented forms, by workload.
std::vector<plot> merging_plots(const operation_view&, const std::string& device);

}  // namespace ablate::reports
