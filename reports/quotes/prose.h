#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "reports/quotes/mark.h"

namespace ablate::reports {

/// A marked figure in a text.
struct figure_in_text {
  std::size_t begin, end;  ///< of its number, or of both numbers of a range
  quote_query query;
};

struct prose_fault {
  std::size_t at;
  std::string says;
};

/// What sentences claim of several cases, where their figures do not hold it: "up to", "A to B", "leads from
/// N on" and "fastest". `is_excused` is of each byte of the text.
std::vector<prose_fault> unheld_claims(const std::string& text, const std::vector<figure_in_text>& figures,
                                       const std::vector<bool>& is_excused);

}  // namespace ablate::reports
