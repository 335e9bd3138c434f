#pragma once

#include <nlohmann/json.hpp>

#include "reports/summary.h"

namespace ablate::reports {

/// What the page of reports/html shows of one record: its facts and tables as text, its operations with their
/// plots, and every case with all that the record says of it. In plots and tables a case is its index in
/// `cases`; an operation's `rows` are the cases that differ in nothing but the variant. Counters stand apart
/// from their names: each case's `counters.shape` is the index, in `shapes`, of the list of names that its
/// values follow.
nlohmann::ordered_json html_data(const record&, const std::vector<operation_view>&,
                                 const std::vector<operation_plots>&);

}  // namespace ablate::reports
