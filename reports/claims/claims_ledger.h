#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "reports/claims/claims_judge.h"

namespace ablate {

/// The outcome of the claims on one device: one verdict each, from one record. Refers to the claims and to
/// the records.
struct claim_ledger {
  struct judged_on {
    const claim_evidence* record;
    claim_result result;
  };
  struct entry {
    const claim* of;
    /// The record that answers the claim or, if none does, the one whose reason is reported; null if no
    /// record has cases of it.
    const claim_evidence* record;
    claim_result result;
    std::vector<judged_on> others;  ///< further records that would answer it
  };

  std::vector<const claim_evidence*> records;  ///< of this device, in the given order
  std::vector<entry> entries;                  ///< in the order of the claims
};

/// One ledger per device, in the order in which the records name them. No figure combines cases of two
/// records. Among a device's records that answer a claim, the one with the most workloads counts; among
/// those, the one with the most cases; among those, the one measured last.
std::vector<claim_ledger> ledgers_of(const std::vector<claim>&, const std::vector<claim_evidence>&,
                                     const claim_limits&);

/// For a terminal: one line per claim that the records judge, or `all`, and the counts of verdicts.
std::string ledger_text(const std::vector<claim_ledger>&, const claim_limits&, bool all);

/// In Markdown: of several devices the verdicts of each claim beside each other (claims_chips.h), then for
/// each verdicts by source document, the records, what claims wait for, and one row per claim, which links to
/// its figures.
std::string ledger_markdown(const std::vector<claim_ledger>&, const claim_limits&);

/// A Markdown file of the figures behind the verdicts of one list of claims.
struct claim_figures_page {
  std::string file;  ///< next to the ledger: "claims/voxelization.md"
  std::string text;  ///< for each claim: its source, how it is read, and every figure with its cases
};

/// One per list, in the order of the claims.
std::vector<claim_figures_page> figures_markdown(const std::vector<claim_ledger>&);

nlohmann::ordered_json ledger_json(const std::vector<claim_ledger>&, const claim_limits&);

}  // namespace ablate
