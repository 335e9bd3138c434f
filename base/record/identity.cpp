#include "base/record/identity.h"

#include <fmt/format.h>

#include <cstdint>

#include "base/record/facts.h"

namespace ablate::history {
namespace {

constexpr std::uint64_t basis = 0xcbf29ce484222325;

/// FNV-1a of 64 bits, from a basis of one's own.
std::uint64_t fnv1a(const std::string& text, std::uint64_t hash) {
  constexpr std::uint64_t prime = 0x100000001b3;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * prime;
  return hash;
}

}  // namespace

std::string short_hash(const std::string& text) { return fmt::format("{:016x}", fnv1a(text, basis)); }

std::string device_fingerprint(const record& r) {
  std::string out;
  const auto add = [&](const char* name, const nlohmann::ordered_json& of) {
    if (const auto known = reports::fact(of, name))
      out += fmt::format("{}{}={}", out.empty() ? "" : ", ", name, *known);
  };
  for (const char* name : {"kind", "name", "silicon", "architecture", "multiprocessors", "l2_bytes", "ecc",
                           "mig", "power_cap_w"})
    add(name, r.device);
  if (!r.on_gpu)
    for (const char* name : {"cpu", "logical_cpus"}) add(name, r.host);
  return out;
}

std::string record_hash(const nlohmann::ordered_json& json) {
  constexpr std::uint64_t other_basis = 0x6c62272e07bb0142;
  const std::string text = json.dump();
  return fmt::format("{:016x}{:016x}", fnv1a(text, basis), fnv1a(text, other_basis));
}

nlohmann::ordered_json without_form(nlohmann::ordered_json json) {
  json["context"]["ablate"].erase("kernels");
  for (nlohmann::ordered_json& entry : json["benchmarks"]) entry.erase("counters");
  return json;
}

}  // namespace ablate::history
