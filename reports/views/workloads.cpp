#include "reports/views/workloads.h"
#include "reports/views/labels.h"

#include "base/text/text.h"

namespace ablate::reports {

workload_labels::workload_labels(const operation_view& view, std::vector<std::string> axes)
    : view_(view), axes_(std::move(axes)) {
  if (view.has_many_axes()) usual_ = usual_values(view, axes_);
}

std::vector<std::string> workload_labels::named(const named_words& point) const {
  std::vector<std::string> out;
  for (const std::string& axis : axes_) {
    const std::string* here = find_word(point, axis);
    const std::string* usual = find_word(usual_, axis);
    if (here && (!usual || *here != *usual)) out.push_back(axis);
  }
  return out;
}

std::string workload_labels::of(const named_words& point) const {
  const std::vector<std::string> axes = named(point);
  return axes.empty() && !usual_.empty() ? "usual" + view_.input_mark(point) : label(view_, point, axes);
}

std::vector<named_words> points_of(const std::vector<const comparable_cases*>& rows) {
  std::vector<named_words> out;
  for (const comparable_cases* row : rows) out.push_back(row->axes);
  return out;
}

}  // namespace ablate::reports
