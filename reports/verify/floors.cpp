#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

#include "reports/verify/tolerances.h"
#include "reports/verify/verify.h"

namespace ablate::verify {
namespace {

using nlohmann::ordered_json;

// An empty launch is itself measured, and varies.
constexpr double least_share_of_launch = 0.9;

// Bytes are counted in another launch than those that were timed. What a case must move is the same in each;
// what it moves again, because L2 had lost it, depends on how far its blocks have drifted apart: of two
// committed records of one case, the lesser count is down to 0.65 of the greater.
constexpr double least_share_moved_again = 0.5;

struct bound {
  double us;
  std::string why;
};

/// Of what the operation must move to or from device memory, whatever the variant: in a cold case what is
/// read, and what is written beyond the L2; in a rotating one everything; nothing in a hot one.
double compulsory_bytes(const ordered_json& entry, double l2_bytes) {
  const ordered_json& work = entry.at("work");
  const auto state = entry.at("cache_state").get<std::string>();
  const double all = work.at("bytes").get<double>();
  if (state == "rotating") return all;
  if (state != "cold-clean" || !work.contains("written_bytes")) return 0;
  return all - std::min(work.at("written_bytes").get<double>(), l2_bytes);
}

double sum_of_counters(const ordered_json& entry, std::initializer_list<const char*> names) {
  const ordered_json& values = entry.at("counters").at("values");
  double sum = 0;
  for (const char* name : names)
    if (values.is_object() && values.contains(name) && values[name].is_number())
      sum += values[name].get<double>();
  return sum;
}

/// Of the bytes that were counted, those that every launch moves.
double least_bytes(const ordered_json& entry, double compulsory) {
  const double counted = sum_of_counters(entry, {"dram__bytes_read.sum", "dram__bytes_write.sum"});
  const double must = std::min(compulsory, counted);
  return must + least_share_moved_again * (counted - must);
}

/// Read and written in the launch that was counted.
double counted_bytes_per_s(const ordered_json& entry) {
  return sum_of_counters(entry, {"dram__bytes_read.sum.per_second", "dram__bytes_write.sum.per_second"});
}

std::vector<bound> bounds_of(const ordered_json& entry, const data_sheet& sheet) {
  const ordered_json& work = entry.at("work");
  const bool is_fma = work.value("flop_pipe", "") == "fma_f32";
  const double flops_per_s = is_fma ? sheet.fma_flops_per_s : sheet.tensor_flops_per_s;
  const double compulsory = compulsory_bytes(entry, sheet.l2_bytes);
  std::vector<bound> out = {{compulsory / sheet.dram_bytes_per_s * 1e6,
                             "the bytes of its work at the data sheet's rate of device memory"},
                            {least_bytes(entry, compulsory) / sheet.dram_bytes_per_s * 1e6,
                             "what must be moved and half of the DRAM bytes counted beyond "
                             "it, at the data sheet's rate"}};
  if (flops_per_s > 0)
    out.push_back({work.at("flops").get<double>() / (max_beyond_nominal_clock * flops_per_s) * 1e6,
                   "the FLOPs of its work at the data sheet's rate and 6 % beyond"});
  const ordered_json& floors = entry.at("floors");
  if (floors.is_object() && floors.contains("launch_us") && floors["launch_us"].is_number())
    out.push_back({least_share_of_launch * floors["launch_us"].get<double>(),
                   "nine tenths of an empty launch in this record"});
  return out;
}

}  // namespace

std::size_t check_floors(const checked_record& r, const data_sheets& sheets, std::vector<finding>& to) {
  const auto sheet = sheets(r.json.at("context").at("ablate").at("device").at("name").get<std::string>());
  if (!sheet) return 0;
  const ordered_json& entries = r.json.at("benchmarks");
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const double median = entries[i].at("time_us").at("median").get<double>();
    for (const bound& b : bounds_of(entries[i], *sheet))
      if (median < b.us)
        to.push_back({r.file, fmt::format("/benchmarks/{}/time_us/median", i),
                      fmt::format("expected {:.3f} us or more, {}, found {}", b.us, b.why, median)});
    const double rate = counted_bytes_per_s(entries[i]);
    if (!(rate <= sheet->dram_bytes_per_s))
      to.push_back({r.file, fmt::format("/benchmarks/{}/counters/values/dram__bytes_read.sum.per_second", i),
                    fmt::format("expected at most {:.4g} with what was written, the data sheet's rate, found "
                                "{:.4g}",
                                sheet->dram_bytes_per_s, rate)});
  }
  return entries.size();
}

}  // namespace ablate::verify
