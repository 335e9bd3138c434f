#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/record/record.h"
#include "reports/claims/claims.h"
#include "reports/claims/claims_figure.h"
#include "reports/claims/claims_limits.h"

namespace ablate {

struct claim_evidence;

struct selected_figures {
  struct piece {
    claim_figure figure;
    std::vector<std::string> cases;  ///< ids; for a comparison, the case and the one it is compared with
  };
  std::vector<piece> pieces;
  std::size_t cases = 0;  ///< that were compared for the pieces, the best or not
  std::vector<std::pair<std::string, std::string>> missing;  ///< id of a case without a figure, and why
};

/// The figures of the cases that a quantity selects: one per case, for the best of each workload, or for each
/// pair that differs only in what `over` or `minus` names. A figure with a time in it is the mean over the
/// record's launches, and its interval theirs (launch_ratio.h); no interval is narrower than the smallest
/// effect that counts. Nothing is aggregated yet.
selected_figures figures_of(const claim_quantity&, const claim_evidence&, const claim_limits&);

}  // namespace ablate
