#include "reports/gate/policy.h"

#include "tests/fuzz/target.h"

namespace ablate::fuzz {
namespace {

void read(const std::filesystem::path& file) { gate::read_policy(file); }

const registered policy_target("policy", read);

}  // namespace
}  // namespace ablate::fuzz
