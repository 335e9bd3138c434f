#include "reports/plots/plot_groups.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/record/identity.h"
#include "base/text/text.h"
#include "reports/views/labels.h"

namespace ablate::reports {

std::string file_name(const operation_view& view, const std::string& kind,
                      const std::vector<std::string>& words) {
  std::string out = slug(view.name) + "-" + kind;
  for (const std::string& word : words) out += "-" + slug(word);
  // File systems allow 255 bytes, including the extension and the device's name.
  constexpr std::size_t longest = 160;
  if (out.size() <= longest) return out;
  return out.substr(0, longest) + "-" + history::record_hash(nlohmann::ordered_json(out)).substr(0, 8);
}

std::vector<plotted_group> plotted_groups(const operation_view& view, std::vector<scaling_group> groups,
                                          std::size_t limit) {
  std::stable_sort(groups.begin(), groups.end(),
                   [](const auto& a, const auto& b) { return a.points.size() > b.points.size(); });
  if (groups.size() > limit) groups.resize(limit);
  std::vector<plotted_group> out;
  for (const scaling_group& group : groups) {
    std::vector<named_words> alike;
    bool other_method = false;
    for (const scaling_group& other : groups) {
      if (other.axis != group.axis) continue;
      alike.push_back(other.fixed);
      other_method = other_method || (other.cache_state == group.cache_state && other.method != group.method);
    }
    const std::vector<std::string> telling = telling_axes(view, view.axes, alike);
    plotted_group& here = out.emplace_back();
    if (group.axis != view.swept) here.words.push_back(group.axis);
    for (const std::string& axis : telling)
      here.words.push_back((view.is_integer(axis) ? axis : "") + *find_word(group.fixed, axis));
    here.words.push_back(group.cache_state);
    if (other_method) here.words.push_back(group.method);
    const std::string fixed = axes_text(group.fixed, telling);
    here.title =
        fmt::format("against {}{}{}, {}", group.axis, fixed.empty() ? "" : ", ", fixed, group.cache_state);
    here.group = group;
  }
  return out;
}

}  // namespace ablate::reports
