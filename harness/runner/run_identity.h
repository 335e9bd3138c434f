#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace ablate {

/// The device that a run measures on, as far as the program knows it before using it.
struct device_identity {
  std::string name;
  std::string uuid = {};    ///< of the one GPU; empty for the host
  std::string driver = {};  ///< its version; empty for the host
};

/// What two parts of one record must share, by what people call it: the device, its driver, the compilers,
/// the sources. A record has one of each.
nlohmann::ordered_json identity_of_run(const device_identity&);

/// What differs of it, "GPU X, here Y; driver …"; empty where nothing does. Null, as of a journal of before
/// 1.9, differs.
std::string differences(const nlohmann::ordered_json& journalled, const nlohmann::ordered_json& here);

}  // namespace ablate
