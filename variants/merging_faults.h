#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "oracles/token_merging/checked_problem.h"
#include "oracles/token_merging/reference.h"

// What checks say of wrong merging, and the lengths that it leaves.

namespace ablate::token_merging {

inline const char* name_of_judged(step of) {
  return of == step::match ? "source" : of == step::merge ? "merged row" : "token";
}

/// Of all that the device has judged.
inline std::optional<std::string> fault_of_judged(const checked_problem& p, const findings& of) {
  const char* const judged = name_of_judged(p.step);
  if (of.judged != static_cast<unsigned long long>(p.judged()))
    return fmt::format("{} of {} {}s were judged", of.judged, p.judged(), judged);
  if (of.wrong_metric_rows != 0)
    return fmt::format("{} of {} rows that tokens are matched by are wrong", of.wrong_metric_rows,
                       p.tokens());
  if (of.wrong != 0)
    return fmt::format("{} of {} {}s are wrong; the first: {}", of.wrong, of.judged, judged, of.first_wrong);
  return std::nullopt;
}

/// Whether a source's match is right by the oracle.
inline bool is_right(const exact_match& exact, std::int32_t matched, float similarity, bool is_exact) {
  const auto destinations = static_cast<std::int32_t>(exact.products.size());
  return matched >= 0 && matched < destinations &&
         is_right_match(exact.products[static_cast<std::size_t>(matched)],
                        exact.products[static_cast<std::size_t>(exact.best)], matched == exact.best, is_exact,
                        static_cast<double>(similarity));
}

/// What attends, of all tokens; destinations; and the operations that are saved beside dense attention, those
/// of matching taken in (docs/operations/token_merging.md, Work).
inline nlohmann::ordered_json lengths(const problem& p) {
  const auto tokens = static_cast<double>(p.tokens());
  const double attending = static_cast<double>(p.attending()) / tokens,
               destinations = static_cast<double>(p.destinations) / tokens;
  return {{"attending_share", attending},
          {"destination_share", destinations},
          {"sparsity", 1 - attending * attending - destinations * (1 - destinations) / 2}};
}

}  // namespace ablate::token_merging
