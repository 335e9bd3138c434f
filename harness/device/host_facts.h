#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "base/record/record.h"

namespace ablate {

/// The processor's name as the system gives it; "unknown" where it gives none.
std::string cpu_model();

/// The record's context.ablate.host: system, cpu, logical_cpus.
nlohmann::ordered_json host_facts();

std::string host_name();
/// "2026-11-30T09:00:00+00:00"
std::string date_now();
benchmark_facts benchmark_facts_of_host();

}  // namespace ablate
