#include "reports/exhibits/shown_exhibit.h"

#include "reports/exhibits/activity_figure.h"
#include "reports/exhibits/published_table.h"

namespace ablate::reports {

std::optional<shown_exhibit> shown(const record& r, const suite_exhibit& exhibit) {
  return exhibit.is_figure() ? activity_figure(r, exhibit) : published_table(r, exhibit);
}

}  // namespace ablate::reports
