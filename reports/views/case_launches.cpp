#include "reports/views/case_launches.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/record/facts.h"

namespace ablate::reports {

case_launches::case_launches(const record& shown, const std::vector<const record*>& more)
    : count_(1 + more.size()) {
  std::map<std::string, const measured_case*> cases;
  for (const measured_case& c : shown.cases) cases.emplace(c.name, &c);
  std::set<std::string> gpus = {fact(shown.device, "uuid").value_or("")};
  for (std::size_t i = 0; i < more.size(); ++i) {
    gpus.insert(fact(more[i]->device, "uuid").value_or(""));
    for (const measured_case& c : more[i]->cases) {
      const auto like = cases.find(c.name);
      if (like != cases.end() && like->second->time.method == c.time.method &&
          input_hash(*like->second) == input_hash(c))
        more_[c.name].push_back({i + 1, &c});
    }
  }
  gpus_ = gpus.size();
}

std::vector<launched_case> case_launches::of(const measured_case& shown) const {
  std::vector<launched_case> out = {{0, &shown}};
  if (const auto found = more_.find(shown.name); found != more_.end())
    out.insert(out.end(), found->second.begin(), found->second.end());
  return out;
}

double case_launches::moved_pct(const measured_case& shown) const {
  double least = shown.time.median_us, most = least;
  for (const launched_case& c : of(shown)) {
    least = std::min(least, c.of->time.median_us);
    most = std::max(most, c.of->time.median_us);
  }
  return 100 * (most / least - 1);
}

std::vector<launched_pair> pairs_of(const case_launches& launches, const measured_case& first,
                                    const measured_case& second) {
  const std::vector<launched_case> others = launches.of(second);
  std::vector<launched_pair> out;
  for (const launched_case& c : launches.of(first)) {
    const auto other = std::find_if(others.begin(), others.end(),
                                    [&](const launched_case& o) { return o.launch == c.launch; });
    if (other != others.end()) out.push_back({c.launch, c.of, other->of});
  }
  return out;
}

std::string moved_mark(double moved_pct) {
  return moved_pct > unsteady_pct ? fmt::format(" † {:.0f} %", moved_pct) : "";
}

}  // namespace ablate::reports
