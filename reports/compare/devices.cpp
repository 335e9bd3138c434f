#include "reports/compare/devices.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "base/record/facts.h"
#include "base/record/floors.h"
#include "base/statistics/quantile.h"
#include "base/text/bad_input.h"
#include "reports/compare/agreement.h"
#include "reports/views/workloads.h"

namespace ablate::compare {
namespace {

using launches_of_case = std::vector<const measured_case*>;
using cases_of_device = std::map<std::string, launches_of_case>;

std::string label_of(const record& r) {
  std::string chip = reports::fact(r.device, "chip").value_or("");
  if (chip.empty()) return r.device_name;
  std::transform(chip.begin(), chip.end(), chip.begin(), [](unsigned char c) { return std::toupper(c); });
  return chip;
}

cases_of_device cases_of_all(const std::vector<record>& side) {
  cases_of_device out;
  for (const record& r : side)
    for (const measured_case& c : r.cases) out[c.name].push_back(&c);
  return out;
}

device_time time_of(const launches_of_case& launches) {
  std::vector<double> medians, floors;
  device_time out{0, launches.front()->time.ci95_low_us, launches.front()->time.ci95_high_us, {}, {}};
  for (const measured_case* c : launches) {
    medians.push_back(c->time.median_us);
    out.low_us = std::min(out.low_us, c->time.ci95_low_us);
    out.high_us = std::max(out.high_us, c->time.ci95_high_us);
    const auto bound = binding_bound(*c);
    if (!bound) continue;
    if (!out.binding) out.binding = bound->name;
    floors.push_back(bound->us);
  }
  out.median_us = gate::median(medians);
  if (!floors.empty()) out.floor_us = gate::median(floors);
  return out;
}

/// Why two measurements of one case have no ratio, or nothing.
std::string why_not_comparable(const launches_of_case& first, const launches_of_case& second) {
  const measured_case& like = *first.front();
  for (const launches_of_case* side : {&first, &second})
    for (const measured_case* c : *side) {
      if (c->time.method != like.time.method)
        return fmt::format("timed by {} and by {}", like.time.method, c->time.method);
      if (reports::input_hash(*c) != reports::input_hash(like)) return "the inputs differ";
    }
  return "";
}

/// "not measured on the H100: not_applicable: too few points"
std::string why_absent(const std::vector<record>& side, const std::string& label, const std::string& name) {
  for (const record& r : side)
    for (const unmeasured_case& c : r.unmeasured)
      if (c.name == name) return fmt::format("not measured on the {}: {}: {}", label, c.status, c.reason);
  return fmt::format("not in the record of the {}", label);
}

device_pair pair_of(const launches_of_case& first, const launches_of_case& second, std::string workload) {
  const measured_case& c = *first.front();
  device_pair out{c.name,
                  c.operation,
                  c.variant,
                  c.cache_state,
                  std::move(workload),
                  c.ceiling.has_value(),
                  c.ceiling.value_or(""),
                  time_of(first),
                  time_of(second),
                  {}};
  out.faster = {out.first.median_us / out.second.median_us, out.first.low_us / out.second.high_us,
                out.first.high_us / out.second.low_us};
  return out;
}

class device_comparer {
 public:
  device_comparer(const std::vector<record>& first, const std::vector<record>& second)
      : first_(first), second_(second), on_first_(cases_of_all(first)), on_second_(cases_of_all(second)) {
    made_.first_label = label_of(first.front());
    made_.second_label = label_of(second.front());
    if (made_.first_label == made_.second_label) {
      made_.first_label = first.front().device_name;
      made_.second_label = second.front().device_name;
    }
  }

  device_comparison compared() {
    for (const reports::operation_view& view : reports::operation_views(first_.front())) add_operation(view);
    for (const auto& [name, launches] : on_first_)
      if (launches.front()->ceiling) add_pair(name, "");
    if (made_.pairs.empty())
      throw bad_input(
          second_.front().path.string(), "/benchmarks",
          fmt::format("expected a case that {} has too, found none", first_.front().path.string()));
    note_uncompared();
    std::stable_sort(made_.flips.begin(), made_.flips.end(), [](const rank_flip& a, const rank_flip& b) {
      return std::min(a.on_first, a.on_second) > std::min(b.on_first, b.on_second);
    });
    add_notes();
    return std::move(made_);
  }

 private:
  void add_operation(const reports::operation_view& view) {
    const reports::workload_labels labels(view, view.varying_axes());
    for (const reports::comparable_cases& row : view.rows) {
      const std::size_t before = made_.pairs.size();
      for (const std::string& variant : view.variants)
        if (const measured_case* c = row.of(variant)) add_pair(c->name, labels.of(row.axes));
      if (made_.pairs.size() > before)
        add_workload({made_.pairs.begin() + static_cast<std::ptrdiff_t>(before), made_.pairs.end()});
    }
  }

  void add_pair(const std::string& name, const std::string& workload) {
    const auto a = on_first_.find(name), b = on_second_.find(name);
    if (b == on_second_.end() || !done_.insert(name).second) return;
    if (const std::string why = why_not_comparable(a->second, b->second); !why.empty())
      made_.uncompared.push_back({name, why});
    else
      made_.pairs.push_back(pair_of(a->second, b->second, workload));
  }

  void add_workload(const std::vector<device_pair>& variants) {
    const auto fastest = [&](device_time device_pair::*on) {
      return std::min_element(variants.begin(), variants.end(), [&](const auto& a, const auto& b) {
        return (a.*on).median_us < (b.*on).median_us;
      });
    };
    const auto on_first = fastest(&device_pair::first), on_second = fastest(&device_pair::second);
    std::vector<double> ratios;
    for (const device_pair& p : variants) ratios.push_back(p.faster.ratio);
    made_.workloads.push_back({on_first->operation,
                               on_first->workload,
                               on_first->cache_state,
                               variants.size(),
                               gate::median(ratios),
                               on_first->variant,
                               on_second->variant,
                               on_first->first.median_us,
                               on_second->second.median_us,
                               {}});
    if (on_first != on_second)
      made_.workloads.back().cost_of_first = on_first->second.median_us / on_second->second.median_us;
    for (std::size_t i = 0; i < variants.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) {
        ++made_.variant_pairs;
        add_flip(variants[i], variants[j]);
        add_flip(variants[j], variants[i]);
      }
  }

  /// If `a` is faster on the first device and `b` on the second, with intervals that do not meet.
  void add_flip(const device_pair& a, const device_pair& b) {
    if (a.first.high_us >= b.first.low_us || b.second.high_us >= a.second.low_us) return;
    made_.flips.push_back({a.operation, a.workload, a.cache_state, a.variant, b.variant,
                           b.first.median_us / a.first.median_us, a.second.median_us / b.second.median_us});
  }

  void note_uncompared() {
    for (const auto& [name, launches] : on_first_)
      if (!on_second_.contains(name))
        made_.uncompared.push_back({name, why_absent(second_, made_.second_label, name)});
    for (const auto& [name, launches] : on_second_)
      if (!on_first_.contains(name))
        made_.uncompared.push_back({name, why_absent(first_, made_.first_label, name)});
  }

  void add_notes() {
    made_.notes.push_back(
        "Two GPUs of one kind differ by up to 12 % in some cases: a ratio of two chips includes that.");
    made_.notes.push_back(
        first_.size() == 1 && second_.size() == 1
            ? "Intervals are those of the records, of one launch each; launches of one program "
              "differ by more."
            : "Intervals span those of all launches of a side.");
    if (first_.front().build.sources() != second_.front().build.sources())
      made_.notes.push_back(
          "The two were built from different sources: a ratio is of the device and the build.");
    for (std::string& note : notes_of(first_.front(), second_.front()))
      made_.notes.push_back(std::move(note));
  }

  const std::vector<record>&first_, &second_;
  cases_of_device on_first_, on_second_;
  std::set<std::string> done_;
  device_comparison made_;
};

}  // namespace

bool are_two_kinds(const record& first, const record& second) {
  return first.on_gpu && second.on_gpu && first.device_name != second.device_name;
}

device_comparison compare_devices(const std::vector<record>& first, const std::vector<record>& second) {
  for (const std::vector<record>* side : {&first, &second}) {
    if (side->empty()) throw bad_input("compare", "", "expected at least one record a side");
    check_side(*side);
  }
  return device_comparer(first, second).compared();
}

}  // namespace ablate::compare
