#pragma once

#include <string>
#include <vector>

#include "reports/ladder/ladder_result.h"
#include "reports/views/record_tables.h"

namespace ablate::reports {

/// How far the ladder leads, which steps carry most, and which were not measured. **Strong** is marked.
std::vector<std::string> ladder_sentences(const ladder_result&);

/// One line for each step and control: its change, time and ratio, the figures that the suite names, bytes
/// and FLOPs. Columns that would be empty are left out.
table ladder_table(const ladder_result&);

/// What the table's ratios mean.
std::string about_ladder(const ladder_result&);

}  // namespace ablate::reports
