#include "reports/search/space.h"

#include <algorithm>

#include "reports/ablation/pairs.h"

namespace ablate::search {

space::space(std::vector<point> points, difference differs_in)
    : points_(std::move(points)), differs_in_(std::move(differs_in)) {}

std::size_t space::runnable() const {
  return static_cast<std::size_t>(
      std::count_if(points_.begin(), points_.end(), [](const point& p) { return p.why_not.empty(); }));
}

std::optional<std::size_t> space::find(const std::string& name) const {
  const auto found =
      std::find_if(points_.begin(), points_.end(), [&](const point& p) { return p.name == name; });
  if (found == points_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - points_.begin());
}

const std::vector<neighbor>& space::neighbors(std::size_t p) const {
  const auto [at, is_new] = neighbors_.try_emplace(p);
  if (is_new)
    for (std::size_t other = 0; other < points_.size(); ++other)
      if (other != p)
        if (const auto name = differs_in_(p, other)) at->second.push_back({other, *name});
  return at->second;
}

std::vector<std::size_t> space::across(std::size_t p, const switch_pair& pair) const {
  std::vector<std::size_t> out;
  const std::vector<neighbor>& near = neighbors(p);
  for (const auto& [first, second] : {pair, switch_pair(pair.second, pair.first)})
    for (const neighbor& step : near) {
      if (step.differs_in != first) continue;
      for (const neighbor& next : neighbors(step.point))
        if (next.differs_in == second && next.point != p &&
            std::none_of(near.begin(), near.end(),
                         [&](const neighbor& n) { return n.point == next.point; }) &&
            std::find(out.begin(), out.end(), next.point) == out.end())
          out.push_back(next.point);
    }
  return out;
}

difference difference_of(const std::vector<point>& points) {
  return [values = [&] {
           std::vector<named_words> out;
           for (const point& p : points) out.push_back(p.values);
           return out;
         }()](std::size_t a, std::size_t b) -> std::optional<std::string> {
    const auto change = reports::single_change(values[a], values[b]);
    return change ? std::optional(change->name) : std::nullopt;
  };
}

}  // namespace ablate::search
