#include "reports/gate/noise_floors.h"

#include "tests/fuzz/target.h"

namespace ablate::fuzz {
namespace {

/// As a gate does on the floors' device.
void feed_floors(const std::filesystem::path& file) {
  static const record launched = read_record(seed("record/whole.json"));
  static const gate::gate_policy policy = gate::read_policy(seed("policy/default.json"));
  const gate::noise_floors floors = gate::read_floors(file);
  gate::to_json(floors).dump();
  gate::check_floors(floors, launched, policy, {"scatter/direct", "scatter/merged"});
}

const registered floors_target("floors", feed_floors);

}  // namespace
}  // namespace ablate::fuzz
