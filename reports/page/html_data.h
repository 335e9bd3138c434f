#pragma once

#include <nlohmann/json.hpp>

#include "reports/sections/record_report.h"
#include "reports/side_by_side/side_by_side.h"

namespace ablate::reports {

/// What the page of reports/page/html shows of one record: its facts and tables as text, its operations with
/// their plots, and every case with all that the record says about it. In plots and tables a case is its
/// index in `cases`; an operation's `rows` are the cases that differ only in the variant.
nlohmann::ordered_json html_data(const record_report&);

/// What it shows of several records together. A row has one element per record.
nlohmann::ordered_json html_data(const side_by_side&);

}  // namespace ablate::reports
