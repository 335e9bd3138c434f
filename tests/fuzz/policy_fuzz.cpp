#include "reports/gate/policy.h"

#include "tests/fuzz/target.h"

namespace ablate::fuzz {
namespace {

void feed_policy(const std::filesystem::path& file) { gate::read_policy(file); }

const registered policy_target("policy", feed_policy);

}  // namespace
}  // namespace ablate::fuzz
