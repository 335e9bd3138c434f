#include "harness/cli/old_spellings.h"

#include <fmt/format.h>

namespace ablate {

const std::vector<old_spelling>& old_spellings() {
  static const std::vector<old_spelling> all = {
      {"record", "", "ablate dev record", ""},
      {"merge", "", "ablate dev record RECORD... --out FILE", ""},
      {"verify", "", "ablate dev verify", ""},
      {"publish", "", "ablate dev verify RECORD --out FILE", ""},
      {"calibrate", "", "ablate dev calibrate", ""},
      {"history", "", "ablate dev history", ""},
      {"fleet", "", "ablate compare --across RECORD...", ""},
      {"submit", "", "ablate dev submit", ""},
      {"launch", "", "ablate dev launch", ""},
      {"inputs", "", "ablate dev inputs", ""},
      {"turns", "", "ablate dev turns", ""},
      {"sample", "", "ablate dev sample", ""},
      {"quote", "", "ablate dev quote", ""},
      {"run", "--set", "--axes", ""},
      {"plan", "--set", "--axes", ""},
      {"dev launch", "--set", "--axes", ""},
      {"dev inputs", "--set", "--axes", ""},
      {"dev submit", "--set", "--axes", ""},
      {"dev submit", "--now", "", "run DIR/submit.sh"},
      {"dev calibrate", "--counter-readings", "", "counters are read four times with each build"},
  };
  return all;
}

std::vector<std::string> old_commands() {
  std::vector<std::string> out;
  for (const old_spelling& old : old_spellings())
    if (old.option.empty()) out.emplace_back(old.command);
  return out;
}

std::optional<std::string> refusal_of_old(std::string_view command, std::string_view option) {
  for (const old_spelling& old : old_spellings()) {
    if (old.command != command || old.option != option) continue;
    const std::string given =
        option.empty() ? fmt::format("command '{}'", command) : fmt::format("option '{}'", option);
    return old.today.empty() ? fmt::format("no {} any more: {}", given, old.instead)
                             : fmt::format("no {} any more: it is `{}`", given, old.today);
  }
  return std::nullopt;
}

}  // namespace ablate
