#include "harness/gate/findings.h"

#include "tests/fuzz/target.h"

namespace ablate::fuzz {
namespace {

void feed_findings(const std::filesystem::path& file) {
  static const gate::gate_policy policy = gate::read_policy(seed("policy/default.json"));
  gate::why_findings_are_suspect(gate::read_findings(file).runs, policy);
}

const registered findings_target("findings", feed_findings);

}  // namespace
}  // namespace ablate::fuzz
