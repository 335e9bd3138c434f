#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "reports/claims/claims_ledger.h"

namespace ablate {

/// Wording shared by the ledger's forms (terminal, Markdown, JSON).

constexpr std::array claim_verdicts = {claim_verdict::reproduced, claim_verdict::refuted,
                                       claim_verdict::inconclusive, claim_verdict::not_measured};

/// In a few sentences, with the limits in percent.
std::string how_intervals_are_made(const claim_limits&);

inline constexpr const char* which_record_counts =
    "No figure holds cases of two records. Of the records of a device that answer a claim the one with the "
    "most workloads counts, then the one with the most cases, then the one measured last.";

/// How many entries have each verdict, in the order of `claim_verdicts`.
std::array<std::size_t, claim_verdicts.size()> count_verdicts(const std::vector<const claim_ledger::entry*>&);
std::vector<const claim_ledger::entry*> all_entries(const claim_ledger&);

/// Those on what others published, or those on what we predicted and aimed for ourselves.
std::vector<const claim_ledger::entry*> published_entries(const claim_ledger&);
std::vector<const claim_ledger::entry*> own_entries(const claim_ledger&);

/// How many statements the claims on what others published are readings of: sections of documents.
std::size_t published_statements(const claim_ledger&);

/// "3 claims: 1 reproduced, 2 refuted, 0 inconclusive, 0 not measured"; of both kinds, each by itself: "3
/// claims: 2 on 1 published statement (1 reproduced, …), 1 of our own (…)".
std::string counts_text(const claim_ledger&);

/// The entries grouped by their claims' source document, in the order in which the claims name them.
std::vector<std::pair<std::string, std::vector<const claim_ledger::entry*>>> by_document(const claim_ledger&);

/// "claims/voxelization.md": the path from the ledger to the figures of a list of claims.
std::string figures_file(const claim&);

/// The claim's heading among the figures of the n-th device, from the ledger: repeated headings are numbered
/// from the second on.
std::string figures_link(const claim&, std::size_t device);
/// The id, linked to that.
std::string linked_id(const claim&, std::size_t device);

/// "NVIDIA H200 (h200)"
std::string device_text(const claim_ledger&);

/// The clouds and key sets (axes distribution, scene and keys) of the cases behind a claim's figures. A scan
/// or a distribution is one cloud in all its sizes and frames: lidar_10cm and lidar_5cm_moved are lidar.
std::vector<std::string> inputs_of(const claim_result&);
/// What a verdict rests on: "one launch, one cloud (lidar)"; nothing where there is no verdict.
std::string marks_of(const claim_result&);
/// "refuted, one launch, one cloud (lidar)"
std::string verdict_text(const claim_result&);

/// The day on which the record of a verdict was measured, "2026-11-20", or "-".
std::string measured_day(const claim_ledger::entry&);
/// That date, and whether the claim was written down after it.
std::string measured_text(const claim_ledger::entry&);

/// "0.5 to 2, median 1.25", "0.5 [0.4, 0.6] us", "-"
std::string figure_text(const claim&, const claim_result&);
std::string figure_number(const claim&, const claim_figure&);
std::string interval_text(const claim_figure&);

/// "at least 3", "0.5 to 1", "-"
std::string bounds_text(const std::optional<claim_bounds>&);
/// "as predicted"
std::string prediction_word(claim_verdict);
/// "at most 1: in part", "-"
std::string prediction_text(const claim&, const claim_result&);

/// The reasons why selected cases have no figure, each with its cases.
std::vector<std::pair<std::string, std::vector<std::string>>> missing_by_reason(const claim_result&);

}  // namespace ablate
