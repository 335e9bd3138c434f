#include "harness/runner/work_queue.h"

#include <algorithm>
#include <utility>

namespace ablate {

namespace {

void add_case(work_package& to, const keyed_case& c, std::size_t number) {
  to.cases.push_back(number);
  if (!c.specimen.empty()) to.specimen = c.specimen;
  if (c.is_done) return;
  to.pending.push_back(number);
  to.seconds += c.planned_seconds;
}

}  // namespace

std::vector<work_package> bundle_packages(const std::vector<keyed_case>& cases) {
  std::map<std::string, work_package> calibrations;
  std::map<std::pair<std::size_t, long>, work_package> bundles;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const keyed_case& c = cases[i];
    work_package& to = c.spec.ceiling.empty() ? bundles[{c.bundle, c.replica}] : calibrations[c.specimen];
    add_case(to, c, i);
    to.bundle = c.bundle;
    to.moves = c.spec.ceiling.empty();
  }
  std::vector<work_package> out;
  for (auto& [specimen, package] : calibrations) out.push_back(std::move(package));
  for (auto& [key, package] : bundles) out.push_back(std::move(package));
  return out;
}

std::vector<work_package> one_package(const std::vector<keyed_case>& cases) {
  work_package all;
  all.moves = false;
  for (std::size_t i = 0; i < cases.size(); ++i) add_case(all, cases[i], i);
  all.specimen.clear();
  return {std::move(all)};
}

work_queue::work_queue(std::vector<work_package> packages) : packages_(std::move(packages)) {
  for (std::size_t i = 0; i < packages_.size(); ++i) {
    const work_package& p = packages_[i];
    if (!p.pending.empty()) waiting_.push_back(i);
    if (p.moves && !p.specimen.empty()) specimens_of_bundle_[p.bundle].insert(p.specimen);
  }
  std::stable_sort(waiting_.begin(), waiting_.end(), [&](std::size_t a, std::size_t b) {
    // Calibrations first: they warm the device up, and floors need them.
    if (packages_[a].moves != packages_[b].moves) return !packages_[a].moves;
    return packages_[a].seconds > packages_[b].seconds;
  });
}

std::optional<std::size_t> work_queue::find(const std::string& specimen) const {
  const auto is_its_own = [&](std::size_t i) { return packages_[i].specimen == specimen; };
  if (const auto own = std::find_if(waiting_.begin(), waiting_.end(), is_its_own); own != waiting_.end())
    return *own;
  for (const std::size_t i : waiting_) {
    if (!packages_[i].specimen.empty()) continue;
    const auto taken = specimens_of_bundle_.find(packages_[i].bundle);
    if (taken == specimens_of_bundle_.end() || !taken->second.contains(specimen)) return i;
  }
  return std::nullopt;
}

bool work_queue::has_next(const std::string& specimen) const { return find(specimen).has_value(); }

bool work_queue::has_own_next(const std::string& specimen) const {
  const auto found = find(specimen);
  return found && !packages_[*found].moves;
}

std::optional<std::size_t> work_queue::next(const std::string& specimen) {
  const auto found = find(specimen);
  if (!found) return std::nullopt;
  std::erase(waiting_, *found);
  if (packages_[*found].moves) specimens_of_bundle_[packages_[*found].bundle].insert(specimen);
  return found;
}

std::vector<std::size_t> work_queue::lose(const std::string& specimen, std::optional<std::size_t> begun) {
  std::vector<std::size_t> anew;
  if (begun && packages_[*begun].moves) waiting_.insert(waiting_.begin(), *begun);
  std::erase_if(waiting_,
                [&](std::size_t i) { return packages_[i].specimen == specimen && !packages_[i].moves; });
  for (const std::size_t i : waiting_) {
    work_package& p = packages_[i];
    if (p.specimen != specimen && !(begun && i == *begun)) continue;
    p.specimen.clear();
    p.pending = p.cases;
    specimens_of_bundle_[p.bundle].erase(specimen);
    anew.insert(anew.end(), p.cases.begin(), p.cases.end());
  }
  return anew;
}

}  // namespace ablate
