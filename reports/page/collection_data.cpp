#include "reports/page/collection_data.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/record/record_file.h"
#include "base/text/bad_input.h"
#include "reports/gate/stale.h"
#include "reports/views/launched_record.h"
#include "reports/views/leading.h"
#include "reports/views/operation_view.h"
#include "reports/views/rivals.h"

namespace ablate::reports {
namespace {

using nlohmann::ordered_json;

void add_records(const std::filesystem::path& folder, const std::string& name, int deeper,
                 std::vector<collected>& to) {
  if (holds_record(folder)) {
    to.push_back({name.empty() ? folder.filename().string() : name, file_of_record(folder / "record.json"),
                  further_launches_in(folder)});
    return;
  }
  if (deeper == 0) return;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string child = entry.path().filename().string();
    if (entry.is_directory())
      add_records(entry.path(), name.empty() ? child : name + "/" + child, deeper - 1, to);
  }
}

/// Five digits tell more than any interval does.
double rounded(double us) {
  if (!(us > 0) || !std::isfinite(us)) return 0;
  const double unit = std::pow(10, std::floor(std::log10(us)) - 4);
  return std::round(us / unit) * unit;
}

/// "H200" of "NVIDIA H200".
std::string chip_of(const record& r) {
  constexpr std::string_view maker = "NVIDIA ";
  return r.device_name.starts_with(maker) ? r.device_name.substr(maker.size()) : r.device_name;
}

/// The operations of all records, each with names of variants that its workloads refer to by number.
class operations_of_all {
 public:
  void add(const record& r, std::size_t place, const operation_view& view) {
    operation& to = by_name_[view.name];
    if (to.description.empty()) to.description = view.description;
    for (const comparable_cases& row : view.rows) {
      if (row.cache_state == "host") continue;
      ordered_json times = ordered_json::array();
      for (const auto& [variant, c] : row.by_variant)
        times.push_back({number_of(to, variant), rounded(c->time.median_us), rounded(c->time.ci95_low_us),
                         rounded(c->time.ci95_high_us)});
      const std::string fastest = fastest_on(row);
      ordered_json level = ordered_json::array(), rivals = ordered_json::array();
      for (const auto& [variant, c] : row.by_variant) {
        if (!fastest.empty() && variant != fastest && view.is_level(*row.of(fastest), *c))
          level.push_back(number_of(to, variant));
        if (rival_of(r, view.name, variant)) rivals.push_back(number_of(to, variant));
      }
      ordered_json axes = ordered_json::object();
      for (const auto& [axis, value] : row.axes)
        axes[axis] = view.stands_for_all(axis, value) ? "all" : value;
      ordered_json workload = {{"record", place},
                               {"cache", row.cache_state},
                               {"axes", std::move(axes)},
                               {"times", std::move(times)}};
      if (!level.empty()) workload["level"] = std::move(level);
      if (!rivals.empty()) workload["rivals"] = std::move(rivals);
      if (const std::string mark = row.input_mark(); !mark.empty()) workload["mark"] = mark.substr(1);
      to.workloads.push_back(std::move(workload));
    }
    if (to.baseline.empty()) to.baseline = view.baseline;
  }

  ordered_json json() const {
    ordered_json out = ordered_json::array();
    for (const auto& [name, of] : by_name_)
      if (!of.workloads.empty())
        out.push_back({{"name", name},
                       {"description", of.description},
                       {"baseline", of.baseline},
                       {"variants", of.variants},
                       {"workloads", of.workloads}});
    return out;
  }

 private:
  struct operation {
    std::string description, baseline;
    std::vector<std::string> variants;
    std::vector<ordered_json> workloads;
  };

  static std::size_t number_of(operation& in, const std::string& variant) {
    const auto found = std::find(in.variants.begin(), in.variants.end(), variant);
    if (found != in.variants.end()) return static_cast<std::size_t>(found - in.variants.begin());
    in.variants.push_back(variant);
    return in.variants.size() - 1;
  }

  std::map<std::string, operation> by_name_;
};

}  // namespace

std::vector<collected> records_below(const std::filesystem::path& folder) {
  constexpr int most_folders_down = 4;
  std::vector<collected> out;
  add_records(folder, "", most_folders_down, out);
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return out;
}

ordered_json collection_data(const std::vector<collected>& all, const gate::static_facts_file* of_tree) {
  ordered_json records = ordered_json::array(), left_out = ordered_json::array();
  operations_of_all operations;
  for (const collected& from : all) try {
      const launched_record read(from.record, from.further);
      const record& r = read.shown();
      ordered_json about = {{"name", from.name},
                            {"chip", chip_of(r)},
                            {"suite", r.suite_name},
                            {"date", r.date.substr(0, 10)},
                            {"commit", r.build.commit.substr(0, 12)},
                            {"launches", read.launches() ? read.launches()->count() : 1}};
      if (of_tree && !r.build.ablate && gate::states_of_kernels(r, *of_tree).is_stale())
        about["stale"] = true;
      for (operation_view& view : operation_views(r)) {
        view.launches = read.launches();
        operations.add(r, records.size(), view);
      }
      records.push_back(std::move(about));
    } catch (const bad_input& refused) {
      left_out.push_back(refused.what());
    }
  return {
      {"records", std::move(records)}, {"operations", operations.json()}, {"left_out", std::move(left_out)}};
}

}  // namespace ablate::reports
