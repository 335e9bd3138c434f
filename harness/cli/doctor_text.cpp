#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "harness/cli/doctor_checks.h"

namespace ablate {

namespace {

/// What follows `key` on its line.
std::optional<std::string_view> value_after(std::string_view text, std::string_view key) {
  std::size_t at = text.starts_with(key) ? 0 : text.find("\n" + std::string(key));
  if (at == std::string_view::npos) return std::nullopt;
  if (text[at] == '\n') ++at;
  std::string_view value = text.substr(at + key.size());
  value = value.substr(0, value.find('\n'));
  value.remove_prefix(std::min(value.find_first_not_of(" \t"), value.size()));
  return value;
}

}  // namespace

std::string_view to_string(finding::level level) {
  switch (level) {
    case finding::level::ok:
      return "OK";
    case finding::level::warn:
      return "WARN";
    case finding::level::missing:
      return "MISSING";
  }
  return "";
}

nlohmann::ordered_json to_json(const std::vector<finding>& findings) {
  nlohmann::ordered_json result{{"findings", nlohmann::ordered_json::array()}};
  for (const finding& f : findings)
    result["findings"].push_back(
        {{"item", f.item},
         {"status", std::string(to_string(f.found))},
         {"detail", f.detail},
         {"remedy", f.remedy.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(f.remedy)}});
  return result;
}

std::string to_text(const std::vector<finding>& findings) {
  std::string text;
  for (const finding& f : findings)
    text += fmt::format("{:<8} {:<13} {}{}\n", to_string(f.found), f.item, f.detail,
                        f.remedy.empty() ? "" : " -> " + f.remedy);
  return text;
}

std::optional<bool> counters_are_restricted(std::string_view driver_params) {
  const auto value = value_after(driver_params, "RmProfilingAdminOnly:");
  if (!value || (*value != "0" && *value != "1")) return std::nullopt;
  return *value == "1";
}

bool has_sys_admin(std::string_view process_status) {
  const auto value = value_after(process_status, "CapEff:");
  std::uint64_t bits = 0;
  if (!value || std::from_chars(value->data(), value->data() + value->size(), bits, 16).ec != std::errc())
    return false;
  constexpr int cap_sys_admin = 21;
  return (bits >> cap_sys_admin & 1) != 0;
}

}  // namespace ablate
