#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/record/record.h"
#include "reports/claims/claims.h"
#include "reports/claims/claims_figure.h"
#include "reports/claims/claims_limits.h"

namespace ablate {

/// A record, and its entries as in the file, in the order of `facts.cases`; each kernel of an entry also has
/// the compiler's data, `compiled.<architecture>.registers`.
struct claim_evidence {
  record facts;
  nlohmann::ordered_json entries;
  std::string chip;                     ///< "h200"; the device's name if the chip is unknown
  std::string architecture;             ///< "sm_90a"; replaces {architecture} in a path
  std::vector<claim_evidence> further;  ///< launches of the same suite and build, for its times alone
};

/// Throws bad_input as read_record does, and for a further record that is no launch of the same suite and
/// build on such a device.
claim_evidence read_claim_evidence(const std::filesystem::path& record,
                                   const std::vector<std::filesystem::path>& further = {});

enum class claim_verdict { reproduced, refuted, inconclusive, not_measured };

/// "reproduced", "not measured".
std::string_view name_of(claim_verdict);

/// "one launch", "6 launches"
std::string launches_text(std::size_t launches);

/// A figure's interval relative to the expectation.
enum class claim_place { inside, outside, straddles };

std::string_view name_of(claim_place);

struct claim_result {
  struct piece {
    claim_figure figure;
    std::vector<std::string> cases;  ///< ids; for a ratio, the case and the one it is divided by
    claim_place place;
  };

  claim_verdict verdict = claim_verdict::not_measured;
  std::string why;                          ///< in one line
  std::optional<claim_figure> figure;       ///< median of the pieces, and the span of their intervals
  std::size_t workloads = 0;                ///< that have a figure; `pieces` may aggregate them
  std::size_t cases = 0;                    ///< that were compared for them
  std::size_t launches = 0;                 ///< the fewest that measured a time in them; 0: no time is
  std::vector<piece> pieces;                ///< one per case or pair, or one for all; in the record's order
  std::optional<claim_verdict> prediction;  ///< the prediction, judged like the expectation
  std::vector<std::pair<std::string, std::string>> missing;  ///< selected cases without a figure: id, reason
};

/// The single figure that the quantity's aggregate makes of all (at least one); `each` takes their median.
claim_figure aggregate(const std::vector<claim_figure>&, const claim_quantity&);

/// Judges a claim against a record. A refuted claim is a result; nothing throws.
claim_result judge(const claim&, const claim_evidence&, const claim_limits&);

}  // namespace ablate
