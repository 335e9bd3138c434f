#pragma once

#include <filesystem>
#include <optional>
#include <regex>
#include <string>
#include <vector>

namespace ablate::gate {

/// A regression that somebody has accepted.
struct accepted_change {
  std::string kernel;  ///< a regular expression (ECMAScript) that matches somewhere in the kernel's name, or
                       ///< in the case's id
  std::string quantity;  ///< one of static_quantity_names; of a case "time" or a counter
  std::string reason;
  std::optional<std::string> place;  ///< architecture, chip or variant; absent: everywhere
  std::optional<double> up_to;       ///< the candidate's value may go up to this; absent: any value
  std::optional<std::string> until;  ///< the last day it is valid, "2026-12-31"; absent: forever
  std::regex pattern;                ///< of `kernel`
  std::string where;                 ///< "suites/gates/accepted.json: /accepted/0"

  bool has_ended(const std::string& today) const { return until && today > *until; }
};

/// {"accepted": [{"kernel" or "case", "quantity", "reason", "place"?, "up_to"?, "until"?}, …]}: accepted
/// changes of kernels. Throws bad_input, also for an unknown quantity, an empty reason, an invalid day or an
/// unknown key.
std::vector<accepted_change> read_accepted(const std::filesystem::path&);
/// Accepted changes of cases: `quantity` is one of these, `up_to` is a change in percent, and there is no
/// `place`.
std::vector<accepted_change> read_accepted_of_cases(const std::filesystem::path&,
                                                    const std::vector<std::string>& quantities);

/// Today as "2026-12-31", in UTC.
std::string day_of_now();

}  // namespace ablate::gate
