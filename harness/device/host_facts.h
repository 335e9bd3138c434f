#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace ablate {

/// The processor's name as the system gives it; "unknown" where it gives none.
std::string cpu_model();

/// The record's context.ablate.host: system, cpu, logical_cpus.
nlohmann::ordered_json host_facts();

/// Google Benchmark's keys of a record's context: date, host_name, num_cpus and the rest.
nlohmann::ordered_json benchmark_context();

}  // namespace ablate
