#include "reports/gate/machine_code.h"

#include <stdexcept>

#include "tests/fuzz/target.h"
#include "tests/support/slurp.h"

namespace ablate::fuzz {
namespace {

/// The program reads only itself this way: a broken file is no user's fault, so it is refused with a
/// runtime_error.
void feed_fat_binaries(const std::filesystem::path& file) try {
  const std::string elf = test_support::slurp(file);
  gate::machine_code_of(elf);
} catch (const std::runtime_error&) {
}

const registered fat_binaries_target("fat_binaries", feed_fat_binaries);

}  // namespace
}  // namespace ablate::fuzz
