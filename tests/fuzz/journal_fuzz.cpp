#include "harness/runner/journal.h"

#include "tests/fuzz/target.h"

namespace ablate::fuzz {
namespace {

/// As `ablate run --resume` does: the entries read go into a record beside what is measured now.
void feed_journal(const std::filesystem::path& file) {
  const journal_contents done = read_journal(file);
  for (const auto& [key, entry] : done.entries) entry.at("status").get<std::string>();
}

const registered journal_target("journal", feed_journal);

}  // namespace
}  // namespace ablate::fuzz
