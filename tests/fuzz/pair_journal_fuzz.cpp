#include "harness/gate/pair_journal.h"

#include "tests/fuzz/target.h"

namespace ablate::fuzz {
namespace {

/// As `ablate gate --resume` does.
void feed_pair_journal(const std::filesystem::path& file) {
  const gate::pair_journal journal(file, {{"suite", "made"}}, true);
  journal.seconds();
}

const registered pair_journal_target("pair_journal", feed_pair_journal);

}  // namespace
}  // namespace ablate::fuzz
