#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "harness/registry/operation.h"
#include "harness/suite/suite.h"

namespace ablate {

/// The entry of a case that was measured; `facts`: what the executor found, `time_us` among it.
nlohmann::ordered_json measured_entry(const suite_case&, const workload&, const input_library&,
                                      const nlohmann::ordered_json& facts);

/// The entry of a case that was not, and why.
nlohmann::ordered_json unmeasured_entry(const suite_case&, std::string_view status,
                                        const std::string& reason);

}  // namespace ablate
