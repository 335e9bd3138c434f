#pragma once

#include <filesystem>
#include <optional>
#include <regex>
#include <string>
#include <vector>

namespace ablate::gate {

/// A change for the worse that somebody answered for.
struct accepted_change {
  std::string kernel;  ///< a regular expression (ECMAScript) that matches somewhere in the kernel's name, or
                       ///< in the case's id
  std::string quantity;  ///< as static_quantity_names has it; of a case "time" or a counter
  std::string reason;
  std::optional<std::string> place;  ///< architecture, chip or variant; nothing: everywhere
  std::optional<double> up_to;       ///< the candidate's value may reach this and no more; nothing: any value
  std::optional<std::string> until;  ///< the last day on which it holds, "2026-12-31"; nothing: for good
  std::regex pattern;                ///< of `kernel`
  std::string where;                 ///< "suites/gates/accepted.json: /accepted/0"

  bool has_ended(const std::string& today) const { return until && today > *until; }
};

/// {"accepted": [{"kernel" or "case", "quantity", "reason", "place"?, "up_to"?, "until"?}, …]}: the changes
/// of kernels. Throws bad_input: also for a quantity that is none, an empty reason, a day that is none, a key
/// that is not known.
std::vector<accepted_change> read_accepted(const std::filesystem::path&);
/// The changes of cases, whose `up_to` is a change in percent, whose quantity is one of these, and which know
/// no `place`.
std::vector<accepted_change> read_accepted_of_cases(const std::filesystem::path&,
                                                    const std::vector<std::string>& quantities);

/// Today as "2026-12-31", in UTC.
std::string day_of_now();

}  // namespace ablate::gate
