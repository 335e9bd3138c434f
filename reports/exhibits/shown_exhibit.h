#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/record/exhibit.h"
#include "base/record/record.h"
#include "reports/plots/plots.h"
#include "reports/views/record_tables.h"

namespace ablate::reports {

/// A published figure or table with what a record says of it.
struct shown_exhibit {
  std::string name, title;
  std::vector<std::string> sentences;  ///< **strong** is marked
  table lines;
  std::string about;
  std::optional<plot> drawn;  ///< of a figure: a panel for each metric, a curve for each of its choices
};

/// Nothing if the record has no case of it.
std::optional<shown_exhibit> shown(const record&, const suite_exhibit&);

}  // namespace ablate::reports
