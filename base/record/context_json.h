#pragma once

#include "base/record/record.h"

/// Parts of a record's context, which a run knows one after another.
namespace ablate {

nlohmann::ordered_json to_json(const program_build&);
nlohmann::ordered_json to_json(const run_settings&);
nlohmann::ordered_json to_json(const shard_facts&);
nlohmann::ordered_json to_json(const asked_counters&);
nlohmann::ordered_json to_json(const compiled_kernel&);
nlohmann::ordered_json to_json(const record::evidence_rung&);
nlohmann::ordered_json to_json(const record::operation_facts&);
nlohmann::ordered_json to_json(const record::part&);
nlohmann::ordered_json ceilings_json(const measured_ceilings&);

}  // namespace ablate
