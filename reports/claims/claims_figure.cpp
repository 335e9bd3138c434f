#include "reports/claims/claims_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>
#include <system_error>

namespace ablate {
namespace {

using nlohmann::ordered_json;

struct found {
  const ordered_json* value = nullptr;
  const ordered_json* parent = nullptr;
};

/// Longest name first, so that a counter's name is matched whole before its parts are tried.
found walk(const ordered_json& at, const ordered_json* parent, std::string_view rest) {
  if (rest.empty()) return {&at, parent};
  if (rest.front() == '[') {
    const std::size_t close = std::min(rest.find(']'), rest.size());
    long index = 0;
    const auto [end, error] = std::from_chars(rest.data() + 1, rest.data() + close, index);
    if (!at.is_array() || close == rest.size() || end != rest.data() + close || error != std::errc())
      return {};
    if (index < 0) index += static_cast<long>(at.size());
    if (index < 0 || index >= static_cast<long>(at.size())) return {};
    rest.remove_prefix(close + 1);
    if (rest.starts_with('.')) rest.remove_prefix(1);
    return walk(at[static_cast<std::size_t>(index)], &at, rest);
  }
  if (!at.is_object()) return {};
  for (std::size_t end = rest.size(); end != rest.npos && end > 0; end = rest.find_last_of(".[", end - 1)) {
    const auto member = at.find(std::string(rest.substr(0, end)));
    if (member != at.end()) {
      const std::size_t next = end < rest.size() && rest[end] == '.' ? end + 1 : end;
      if (const found deeper = walk(*member, &at, rest.substr(next)); deeper.value) return deeper;
    }
  }
  return {};
}

/// The entry's own reason for a missing number: `missing.<name>` or `reason` of the group that the path leads
/// into.
std::string stated_reason(const ordered_json& entry, const std::string& path) {
  const auto group = entry.find(path.substr(0, path.find_first_of(".[")));
  if (group == entry.end() || !group->is_object()) return "";
  if (const auto missing = group->find("missing"); missing != group->end() && missing->is_object())
    for (const auto& [name, reason] : missing->items())
      if (path.ends_with(name) && reason.is_string()) return ": " + reason.get<std::string>();
  const auto reason = group->find("reason");
  return reason != group->end() && reason->is_string() ? ": " + reason->get<std::string>() : "";
}

std::optional<double> number(const ordered_json& object, const char* key) {
  const auto member = object.find(key);
  return member != object.end() && member->is_number() ? std::optional(member->get<double>()) : std::nullopt;
}

figure_or_reason finite(const claim_figure& f) {
  if (std::isfinite(f.value) && std::isfinite(f.low) && std::isfinite(f.high)) return f;
  return fmt::format("{} [{}, {}] is no finite figure", f.value, f.low, f.high);
}

figure_or_reason sum_of(const std::vector<std::string>& paths, const ordered_json& entry,
                        const std::string& architecture) {
  claim_figure sum{0, 0, 0};
  for (const std::string& path : paths) {
    const figure_or_reason part = figure_at(entry, path, architecture);
    const auto* figure = std::get_if<claim_figure>(&part);
    if (!figure) return part;
    sum = {sum.value + figure->value, sum.low + figure->low, sum.high + figure->high};
  }
  return sum;
}

}  // namespace

figure_or_reason figure_at(const ordered_json& entry, const std::string& path,
                           const std::string& architecture) {
  constexpr std::string_view placeholder = "{architecture}";
  std::string resolved = path;
  if (const std::size_t at = resolved.find(placeholder); at != resolved.npos)
    resolved.replace(at, placeholder.size(), architecture);
  const auto [value, parent] = walk(entry, nullptr, resolved);
  if (!value) return fmt::format("no {}{}", resolved, stated_reason(entry, resolved));
  if (!value->is_number())
    return fmt::format("{} is {}{}", resolved, value->is_null() ? "null" : "no number",
                       stated_reason(entry, resolved));
  const double exact = value->get<double>();
  if (resolved.ends_with(".median"))
    if (const auto low = number(*parent, "ci95_low"), high = number(*parent, "ci95_high"); low && high)
      return claim_figure{exact, *low, *high};
  return claim_figure{exact, exact, exact};
}

figure_or_reason figure_of(const claim_measure& measure, const ordered_json& entry,
                           const std::string& architecture) {
  figure_or_reason out = sum_of(measure.value, entry, architecture);
  if (!measure.per.empty() && std::holds_alternative<claim_figure>(out)) {
    const figure_or_reason per = sum_of(measure.per, entry, architecture);
    if (!std::holds_alternative<claim_figure>(per)) return per;
    out = quotient(std::get<claim_figure>(out), std::get<claim_figure>(per));
  }
  if (const auto* figure = std::get_if<claim_figure>(&out))
    return finite({figure->value * measure.scale, figure->low * measure.scale, figure->high * measure.scale});
  return out;
}

claim_figure composed(const claim_model& model, const claim_figure& layer) {
  const auto whole = [&](double of_layer) { return model.layers * of_layer + model.rest_us; };
  return {whole(layer.value), whole(layer.low), whole(layer.high)};
}

figure_or_reason quotient(const claim_figure& a, const claim_figure& by) {
  if (!(by.low > 0)) return fmt::format("cannot be divided by {}", by.value);
  const auto [low, high] = std::minmax({a.low / by.low, a.low / by.high, a.high / by.low, a.high / by.high});
  return finite({a.value / by.value, low, high});
}

figure_or_reason difference(const claim_figure& a, const claim_figure& less) {
  return finite({a.value - less.value, a.low - less.high, a.high - less.low});
}

}  // namespace ablate
