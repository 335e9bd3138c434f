#include "reports/gate/accepted.h"

#include "tests/fuzz/target.h"

namespace ablate::fuzz {
namespace {

/// As the two gates do.
void feed_accepted(const std::filesystem::path& file) {
  const std::string today = "2026-12-31";
  for (const auto& changes :
       {gate::read_accepted(file), gate::read_accepted_of_cases(file, {"time", "dram__bytes_read.sum"})})
    for (const gate::accepted_change& change : changes) change.has_ended(today);
}

const registered accepted_target("accepted", feed_accepted);

}  // namespace
}  // namespace ablate::fuzz
