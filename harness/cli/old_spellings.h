#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ablate {

/// A command or an option of an earlier version, which is refused.
struct old_spelling {
  std::string_view command;  ///< "merge", or the one that had the option, as it is called today
  std::string_view option;   ///< "--set"; empty where the command itself is meant
  std::string_view
      today;  ///< "ablate dev record RECORD... --out FILE", or "--axes"; empty where nothing follows it
  std::string_view instead;  ///< where nothing does: what to do
};

const std::vector<old_spelling>& old_spellings();

/// The commands among them, for whoever looks for a command among words.
std::vector<std::string> old_commands();

/// What refuses an old command, or an option of a command as it is called today; nothing for other words.
std::optional<std::string> refusal_of_old(std::string_view command, std::string_view option = "");

}  // namespace ablate
