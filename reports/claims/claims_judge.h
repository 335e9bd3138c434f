#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reports/claims/claims.h"
#include "reports/claims/claims_figure.h"
#include "reports/record/record.h"

namespace ablate {

/// A record, and its entries as they stand in the file, in the order of `facts.cases`; each kernel of an
/// entry also has what the compiler says of it, `compiled.<architecture>.registers`.
struct claim_evidence {
  record facts;
  nlohmann::ordered_json entries;
  std::string chip;          ///< "h200"; the device's name where the chip is not known
  std::string architecture;  ///< "sm_90a"; stands for {architecture} in a path
};

/// Throws bad_input as read_record does.
claim_evidence read_claim_evidence(const std::filesystem::path& record);

enum class claim_verdict { reproduced, refuted, inconclusive, not_measured };

/// "reproduced", "not measured".
std::string_view name_of(claim_verdict);

/// Where a figure's interval lies with respect to the expectation.
enum class claim_place { inside, outside, straddles };

std::string_view name_of(claim_place);

struct claim_result {
  struct piece {
    claim_figure figure;
    std::vector<std::string> cases;  ///< ids; of a ratio the case and the one that it is divided by
    claim_place place;
  };

  claim_verdict verdict = claim_verdict::not_measured;
  std::string why;                     ///< in one line
  std::optional<claim_figure> figure;  ///< median of the pieces, and the span of their intervals
  std::size_t workloads = 0;           ///< that have a figure; `pieces` may aggregate them
  std::size_t cases = 0;               ///< that were held against each other for them
  std::vector<piece> pieces;           ///< one for each case or pair, or one for all; in the record's order
  std::optional<claim_verdict> prediction;                   ///< the prediction judged as the expectation is
  std::vector<std::pair<std::string, std::string>> missing;  ///< selected cases without a figure: id, reason
};

/// The one figure that the quantity's aggregate makes of all, at least one; `each` makes their median.
claim_figure aggregate(const std::vector<claim_figure>&, const claim_quantity&);

/// Holds a claim against a record. A refuted claim is a result; nothing throws.
claim_result judge(const claim&, const claim_evidence&);

}  // namespace ablate
