#include "reports/views/labels.h"

#include <fmt/format.h>

#include "base/text/text.h"

namespace ablate::reports {

std::string median_with_interval(const measured_case::timing& time) {
  return fmt::format("{} ± {:.{}f}", significant(time.median_us), time.half_width_us(),
                     significant_decimals(time.median_us));
}

std::string energy_with_interval(const energy_use& of) {
  return fmt::format("{} ± {:.{}f}", significant(of.launch_mj()), of.half_width_mj(),
                     significant_decimals(of.launch_mj()));
}

std::string axes_text(const named_words& point, const std::vector<std::string>& axes) {
  std::string out;
  for (const std::string& axis : axes)
    if (const std::string* value = find_word(point, axis))
      out += (out.empty() ? "" : ", ") + axis + "=" + *value;
  return out;
}

std::string value_label(const operation_view& view, const std::string& axis, const std::string& value) {
  if (view.stands_for_all(axis, value)) return "all " + axis;
  return view.is_integer(axis) ? axis + " " + value : value;
}

std::string label(const operation_view& view, const named_words& point,
                  const std::vector<std::string>& axes) {
  std::string out;
  for (const bool integers : {false, true})
    for (const std::string& axis : axes)
      if (const std::string* value = find_word(point, axis); value && view.is_integer(axis) == integers)
        out += (out.empty() ? "" : ", ") + value_label(view, axis, *value);
  return (out.empty() ? view.name : out) + view.input_mark(point);
}

}  // namespace ablate::reports
