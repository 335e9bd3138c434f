#include "harness/runner/run_identity.h"

#include <fmt/format.h>

#include "harness/build_facts.h"
#include "harness/device/host_facts.h"

namespace ablate {

using nlohmann::ordered_json;

ordered_json identity_of_run(const std::vector<device_identity>& devices) {
  const device_identity& device = devices.front();
  const build_facts& build = this_build();
  ordered_json identity = {{"device", device.name}};
  for (const device_identity& one : devices)
    if (!one.uuid.empty()) identity["GPU"].push_back(one.uuid);
  if (!device.driver.empty()) identity["driver"] = device.driver;
  identity["compiler"] = build.compiler;
  if (!build.cuda_compiler.empty()) identity["CUDA compiler"] = build.cuda_compiler;
  identity["build type"] = build.build_type;
  identity["sources"] = build.source_hash;
  if (is_own_program()) identity["Ablate's sources"] = library_build().source_hash;
  return identity;
}

std::string specimen_of(const device_identity& device) {
  if (!device.uuid.empty()) return device.uuid;
  return device.number > 0 ? fmt::format("{}#{}", host_name(), device.number) : host_name();
}

std::string differences(const ordered_json& journalled, const ordered_json& here) {
  if (!journalled.is_object()) return "an older version of this program, which does not say on what it ran";
  const auto shown = [](const ordered_json& of, const std::string& key) {
    return of.contains(key) && of[key].is_string() ? of[key].get<std::string>() : std::string("none");
  };
  ordered_json all = here;
  all.update(journalled);
  std::string out;
  for (const auto& [key, value] : all.items())
    if (key != "GPU" && shown(journalled, key) != shown(here, key))
      out += fmt::format("{}{} {}, here {}", out.empty() ? "" : "; ", key, shown(journalled, key),
                         shown(here, key));
  return out;
}

}  // namespace ablate
