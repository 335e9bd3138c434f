#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "reports/claims/claims_judge.h"

namespace ablate {

/// What became of the claims on one device: each has one verdict, of one record. Refers to the claims and to
/// the records.
struct claim_ledger {
  struct judged_on {
    const claim_evidence* record;
    claim_result result;
  };
  struct entry {
    const claim* of;
    /// The record that answers the claim, or, where none does, the one whose reason is told; null where no
    /// record has cases of it.
    const claim_evidence* record;
    claim_result result;
    std::vector<judged_on> others;  ///< further records that would answer it
  };

  std::vector<const claim_evidence*> records;  ///< of this device, in the given order
  std::vector<entry> entries;                  ///< in the order of the claims
};

/// One ledger for each device, in the order in which the records name them. No figure holds cases of two
/// records. Of the records of a device that answer a claim the one with the most workloads counts; of those
/// the one with the most cases; of those the one measured last.
std::vector<claim_ledger> ledgers_of(const std::vector<claim>&, const std::vector<claim_evidence>&);

/// For a terminal: one line a claim, and the counts of verdicts.
std::string ledger_text(const std::vector<claim_ledger>&);

/// In Markdown: verdicts by source document, the records, what is waited for, and a row for each claim, which
/// leads to its figures.
std::string ledger_markdown(const std::vector<claim_ledger>&);

/// A Markdown file of the figures on which the verdicts of one list of claims rest.
struct claim_figures_page {
  std::string file;  ///< beside the ledger: "claims/voxelization.md"
  std::string text;  ///< of each claim the source, how it is read, and every figure with its cases
};

/// One for each list, in the order of the claims.
std::vector<claim_figures_page> figures_markdown(const std::vector<claim_ledger>&);

nlohmann::ordered_json ledger_json(const std::vector<claim_ledger>&);

}  // namespace ablate
