#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reports/attribute/attribution.h"
#include "reports/views/record_tables.h"

namespace ablate::attribute {

/// What a report shows of an operation's shares.
struct share_section {
  std::string heading, about;
  reports::table shares;
  std::vector<std::string> sentences;
};

/// Two points between which a record has every point, on some workloads.
struct complete_points {
  std::string from, to;
  std::vector<const reports::comparable_cases*> rows;
};

/// Of the pairs that differ in two switches or more: from the baseline where there is one, with the most
/// switches, on the most workloads, with the greatest speed-up.
std::optional<complete_points> most_complete_points(const record&, const reports::operation_view&);

/// Between these; nothing where there are none.
std::optional<share_section> share_section_of(const record&, const reports::operation_view&,
                                              const reports::case_launches&, const reports::effect_limits&);

}  // namespace ablate::attribute
