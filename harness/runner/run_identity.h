#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace ablate {

/// The device a run measures on, as far as it is known before use.
struct device_identity {
  std::string name;
  std::string uuid = {};    ///< of the GPU; empty for the host
  std::string driver = {};  ///< driver version; empty for the host
  long number = 0;          ///< among workers that share the host; 0: it has the host to itself
};

/// What all parts of a record must share, under readable names: the device, its driver, the compilers, the
/// sources. A record has one of each. The devices are of one kind.
nlohmann::ordered_json identity_of_run(const std::vector<device_identity>&);

/// The one physical device: a GPU's UUID, or the host's name, with a number (HOST#2) if it has several
/// workers.
std::string specimen_of(const device_identity&);

/// The differences, "driver X, here Y; sources …", less the specimen, which may be another of its kind; empty
/// if there are none. Null, as in journals before 1.9, differs.
std::string differences(const nlohmann::ordered_json& journalled, const nlohmann::ordered_json& here);

}  // namespace ablate
