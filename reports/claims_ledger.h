#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "reports/claims_judge.h"

namespace ablate {

/// What became of the claims on one record. Refers to the claims and to the record.
struct claim_ledger {
  struct entry {
    const claim* of;
    claim_result result;
  };

  const claim_evidence* evidence;
  std::vector<entry> entries;
};

/// Holds every claim against every record: one ledger for each record.
std::vector<claim_ledger> ledgers_of(const std::vector<claim>&, const std::vector<claim_evidence>&);

/// For a terminal: one line a claim, and the counts of verdicts.
std::string ledger_text(const std::vector<claim_ledger>&);

/// In Markdown, with the statement, the source and every figure of each claim.
std::string ledger_markdown(const std::vector<claim_ledger>&);

nlohmann::ordered_json ledger_json(const std::vector<claim_ledger>&);

}  // namespace ablate
