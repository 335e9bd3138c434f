#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "base/record/record.h"

namespace ablate::history {

/// What of a device stays the same while the series of its times goes on, as "name=value, …": of a GPU its
/// name, silicon, architecture, multiprocessors, L2, ECC, MIG and power limit; of a host its processor and
/// cores. Not the specimen (a job is given another one of its kind), nor driver and CUDA, whose change is
/// what a history is to show.
std::string device_fingerprint(const record&);

/// 16 hexadecimal digits, by FNV-1a: the hash by which records name suites, plans and inputs.
std::string short_hash(const std::string&);

/// 32 hexadecimal digits over all that a record holds, however its JSON is spaced.
std::string record_hash(const nlohmann::ordered_json&);

/// A record's JSON less what is written differently when it is rewritten in a newer form
/// (base/record/writer.h).
nlohmann::ordered_json without_form(nlohmann::ordered_json);

}  // namespace ablate::history
