#include "reports/fleet/across.h"

#include "tests/fuzz/target.h"

namespace ablate::fuzz {
namespace {

/// As `ablate gate --across` does.
void feed_across(const std::filesystem::path& file) {
  const fleet::across read = fleet::read_across(file);
  for (const fleet::kind_across& kind : read.kinds)
    for (const std::string& specimen : kind.specimens) read.kind_of(specimen);
  fleet::across_text(read, {});
  fleet::to_json(read).dump();
}

const registered across_target("across", feed_across);

}  // namespace
}  // namespace ablate::fuzz
