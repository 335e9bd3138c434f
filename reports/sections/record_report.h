#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reports/ablation/ablation.h"
#include "reports/ablation/tables.h"
#include "reports/attribute/share_section.h"
#include "reports/claims/claims.h"
#include "reports/claims/claims_judge.h"
#include "reports/exhibits/shown_exhibit.h"
#include "reports/gate/noise_floors.h"
#include "reports/gate/policy.h"
#include "reports/history/trends.h"
#include "reports/ladder/ladder_result.h"
#include "reports/plots/plots.h"
#include "reports/question/answer.h"
#include "reports/sections/noise.h"
#include "reports/views/operation_view.h"
#include "reports/views/record_tables.h"

namespace ablate::reports {

/// What accompanies the tables of an operation's cases: its plots and its ablation.
struct operation_plots {
  std::vector<plot> scaling, speed_up, best, energy, waterfalls, metrics, roofline, floor, kernels, merging,
      quality, pictures, timelines, trends;
  std::size_t scaling_left_out = 0;  ///< groups beyond the limit
  ablation_tables ablation;
  /// Where the record has every point between two.
  std::optional<attribute::share_section> shares;
  std::vector<std::string> advice;  ///< sentences on what binds and which switch moves it
  table work;
};

/// A kind of plot, by the page's word for it.
struct plot_kind {
  std::string_view word;
  std::vector<plot> operation_plots::*plots;
};
/// In the order in which reports show them.
std::span<const plot_kind> plot_kinds();

/// What a report shows beyond the records themselves.
struct report_extras {
  const gate::gate_policy* policy = nullptr;            ///< its limits are drawn with the noise
  const gate::noise_floors* floors = nullptr;           ///< of the record's device; may be null
  const std::vector<claim>* claims = nullptr;           ///< may be null
  const std::vector<history::trend>* trends = nullptr;  ///< of the record's cases; may be null
  const suite_question* question = nullptr;         ///< to answer, with its ladder and exhibits; may be null
  const std::vector<std::string>* drawn = nullptr;  ///< variants that plots show; null: all
};

struct held_claim {
  claim of;
  claim_result result;
  std::string marks;  ///< what the verdict rests on: "one launch, one cloud (lidar)"
};

/// All that a report shows of one record, or of several launches of one suite and build. Refers to the
/// records.
struct record_report {
  std::shared_ptr<const record> over_all;  ///< of several launches (over_launches.h); null of one
  const record* of = nullptr;              ///< what is shown: that, or the only launch
  const record* first = nullptr;           ///< launch
  std::vector<const record*> more;         ///< further launches
  std::string label;                       ///< distinguishes it from the report's other records
  std::optional<question_answer> answer;   ///< to the suite's question
  std::optional<plot> answer_drawn;
  std::optional<ladder_result> ladder;  ///< of the suite
  std::optional<plot> ladder_drawn;
  std::vector<shown_exhibit> exhibits;  ///< of the suite, those with cases in the record
  std::vector<operation_view> views;
  std::vector<operation_ablation> ablations;  ///< one per view
  std::vector<operation_plots> plots;         ///< one per view
  record_noise noise;
  std::vector<plot> run_plots;     ///< of the whole run: noise, device state
  std::vector<held_claim> claims;  ///< those on its operations
  std::size_t other_claims = 0;    ///< on operations that it lacks
  std::string how_claims_are_judged = {};

  std::vector<const plot*> all_plots() const;
};

/// Plot names are prefixed with `prefix`. Throws bad_input as noise_of does.
record_report report_of(const record&, std::vector<const record*> more, const report_extras&,
                        const std::string& label, const std::string& prefix);

}  // namespace ablate::reports
