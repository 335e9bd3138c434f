// What a record says of its run, held against what its cases say.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "base/record/facts.h"
#include "reports/verify/dates.h"
#include "reports/verify/place.h"
#include "reports/verify/tolerances.h"
#include "reports/verify/verify.h"

namespace ablate::verify {
namespace {

using nlohmann::ordered_json;
using reports::fact;
using reports::number_fact;

// The project's first day: no record is older.
constexpr std::chrono::sys_days project_began =
    std::chrono::sys_days(std::chrono::year(2026) / std::chrono::November / 20);
constexpr auto clocks_apart = std::chrono::hours(24);  // of two hosts

constexpr double max_beyond_power_cap = 1.5;  // of a moment: in committed records up to 1.34
constexpr double coldest_c = 0, hottest_c = 125;
constexpr double memory_as_sold = 0.15;  // of the data sheet: GB or GiB, less what the driver keeps

class context_checks {
 public:
  context_checks(const checked_record& r, const held_against& against, std::vector<finding>& to)
      : r_(r), facts_(facts_of(r)), at_(r, "/context", to), against_(against), to_(to) {
    if (const auto name = fact(facts_.at("device"), "name")) sheet_ = against.sheets(*name);
  }

  void all() {
    check_dates();
    check_host();
    check_device();
    check_specimens();
    check_operations();
    check_evidence();
    check_states();
  }

 private:
  void check_date(const std::string& pointer, const std::string& date,
                  const std::optional<std::chrono::sys_seconds>& not_before) {
    const auto when = parse_date(date);
    at_.expect(when.has_value(), pointer,
               fmt::format("expected a date as 2026-11-27T16:03:12+00:00, found '{}'", date));
    if (!when) return;
    at_.expect(*when >= project_began, pointer,
               fmt::format("expected 2026-11-20 or later, when the project began, found '{}'", date));
    if (against_.now)
      at_.expect(*when <= *against_.now + clocks_apart, pointer,
                 fmt::format("expected a date in the past, found '{}'", date));
    if (not_before)
      at_.expect(*when >= *not_before, pointer,
                 fmt::format("expected no earlier than the run that it was added to, found '{}'", date));
  }

  void check_dates() {
    const auto date = r_.json.at("context").at("date").get<std::string>();
    check_date("/date", date, std::nullopt);
    std::size_t i = 0;
    for (const ordered_json& added : facts_.value("rivals", ordered_json::array()))
      check_date(fmt::format("/ablate/rivals/{}/date", i++), added.at("date").get<std::string>(),
                 parse_date(date));
    i = 0;
    for (const ordered_json& part : facts_.value("parts", ordered_json::array()))
      check_date(fmt::format("/ablate/parts/{}/date", i++), part.at("date").get<std::string>(), std::nullopt);
  }

  void check_version(const std::string& key) {
    const auto version = facts_.at(key).get<std::string>();
    at_.expect(std::ranges::count(version, '.') == 2 &&
                   version.find_first_not_of("0123456789.") == std::string::npos,
               "/ablate/" + key, fmt::format("expected a version as 2.0.0, found '{}'", version));
  }

  void check_host() {
    const ordered_json& context = r_.json.at("context");
    if (facts_.at("host").contains("logical_cpus") && facts_.at("host").at("logical_cpus").is_number())
      at_.expect_equal("/num_cpus", context.at("num_cpus"), facts_.at("host").at("logical_cpus"),
                       "as the host has processors");
    auto built = facts_.at("build").at("build_type").get<std::string>();
    std::ranges::transform(built, built.begin(), [](unsigned char c) { return std::tolower(c); });
    if (built == "release" || built == "debug")
      at_.expect_equal("/library_build_type", context.at("library_build_type"), built, "as it was built");
    check_version("record_schema");
    if (facts_.contains("upgraded_from")) check_version("upgraded_from");
  }

  /// Of a slice of a device, a part of each.
  void check_device() {
    if (!sheet_ || sheet_->chip.empty()) return;
    const ordered_json& device = facts_.at("device");
    constexpr const char* of = "as this product's data sheet says";
    for (const auto& [key, value] : {std::pair<const char*, const std::string&>{"chip", sheet_->chip},
                                     {"silicon", sheet_->silicon},
                                     {"architecture", sheet_->architecture},
                                     {"compute_capability", sheet_->compute_capability}})
      if (const auto here = fact(device, key))
        at_.expect_equal(std::string("/ablate/device/") + key, *here, value, of);
    const bool is_slice = device.contains("mig") && device.at("mig") == true;
    for (const auto& [key, most] : {std::pair{"multiprocessors", sheet_->multiprocessors},
                                    {"l2_bytes", sheet_->l2_bytes},
                                    {"memory_bytes", sheet_->memory_bytes}}) {
      const double tolerance = key == std::string_view("memory_bytes") ? memory_as_sold : 0;
      const auto here = number_fact(device, key);
      if (!here) continue;
      at_.expect(*here <= most * (1 + tolerance) && (is_slice || *here >= most * (1 - tolerance)),
                 std::string("/ablate/device/") + key,
                 fmt::format("expected {:.10g}{}, {}, found {:.10g}", most,
                             is_slice        ? " at most"
                             : tolerance > 0 ? " or about that"
                                             : "",
                             of, *here));
    }
  }

  void check_specimens() {
    const ordered_json& entries = r_.json.at("benchmarks");
    std::set<std::string> known;
    if (const auto own = fact(facts_, "specimen")) known.insert(*own);
    const auto uuid = fact(facts_.at("device"), "uuid");
    if (uuid) known.insert(*uuid);
    for (const ordered_json& part : facts_.value("parts", ordered_json::array()))
      known.insert(part.at("specimen").get<std::string>());
    if (uuid && facts_.contains("specimen") && facts_.at("specimen").is_string())
      at_.expect_equal("/ablate/specimen", facts_.at("specimen"), *uuid, "the device's UUID");
    for (std::size_t i = 0; i < entries.size(); ++i)
      if (const auto specimen = fact(entries[i], "specimen"); specimen && !known.empty())
        place(r_, fmt::format("/benchmarks/{}", i), to_)
            .expect(known.contains(*specimen), "/specimen",
                    fmt::format("expected a device of this run, {}, found '{}'", *known.begin(), *specimen));
  }

  void check_operations() {
    if (!facts_.contains("operations")) return;
    const ordered_json& operations = facts_.at("operations");
    for (const auto& [name, known] : operations.items()) {
      const std::string baseline = known.at("baseline").get<std::string>();
      at_.expect(baseline.empty() || known.at("variants").contains(baseline),
                 "/ablate/operations/" + name + "/baseline",
                 fmt::format("expected one of the operation's variants, found '{}'", baseline));
    }
    const ordered_json& entries = r_.json.at("benchmarks");
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const ordered_json& entry = entries[i];
      const place at(r_, fmt::format("/benchmarks/{}", i), to_);
      const auto operation = entry.at("operation").get<std::string>();
      const auto variant = entry.at("variant").get<std::string>();
      at.expect(operations.contains(operation), "/operation",
                fmt::format("expected an operation that the record describes, found '{}'", operation));
      if (!operations.contains(operation)) continue;
      const ordered_json& known = operations.at(operation);
      at.expect(variant == "reference" || known.at("variants").contains(variant), "/variant",
                fmt::format("expected a variant that the record describes, found '{}'", variant));
      for (const auto& [axis, value] : entry.at("axes").items())
        at.expect(known.at("axes").contains(axis), "/axes/" + axis,
                  fmt::format("expected an axis that the record describes, found '{}'", axis));
      const ordered_json& check = entry.at("check");
      if (check.contains("against"))
        at.expect(known.at("variants").contains(check.at("against").get<std::string>()), "/check/against",
                  fmt::format("expected a variant that the record describes, found {}",
                              check.at("against").dump()));
    }
  }

  /// What is there was available.
  void check_evidence() {
    const ordered_json& entries = r_.json.at("benchmarks");
    const auto has_counters = [](const ordered_json& entry) {
      const ordered_json& values = entry.at("counters").at("values");
      return std::any_of(values.begin(), values.end(), [](const ordered_json& v) { return v.is_number(); });
    };
    const bool is_counted = std::any_of(entries.begin(), entries.end(), has_counters);
    const ordered_json& rungs = facts_.at("evidence");
    for (std::size_t i = 0; i < rungs.size(); ++i) {
      const bool is_there = (rungs[i].at("rung") == "timing" && !entries.empty()) ||
                            (rungs[i].at("rung") == "range_counters" && is_counted);
      at_.expect(!is_there || rungs[i].at("available") == true,
                 fmt::format("/ablate/evidence/{}/available", i),
                 "expected true, since the cases have it, found false");
    }
  }

  void expect_between(const place& at, const std::string& pointer, const ordered_json& of, const char* key,
                      double low, double high) {
    if (const auto value = number_fact(of, key))
      at.expect(*value >= low && *value <= high, pointer + "/" + key,
                fmt::format("expected {:.5g} to {:.5g}, found {:.6g}", low, high, *value));
  }

  void check_states() {
    const auto cap_w = number_fact(facts_.at("device"), "power_cap_w");
    const double max_mhz =
        sheet_ && sheet_->multiprocessors > 0 ? sheet_->sm_mhz() * max_beyond_nominal_clock : 1e6;
    const double max_w = cap_w ? *cap_w * max_beyond_power_cap : 1e6;
    const ordered_json& entries = r_.json.at("benchmarks");
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const place at(r_, fmt::format("/benchmarks/{}", i), to_);
      const ordered_json& state = entries[i].at("device_state");
      if (state.is_object()) {
        expect_between(at, "/device_state", state, "timed_sm_clock_mhz", 1, max_mhz);
        for (const char* when : {"before", "after"}) {
          if (!state.contains(when) || !state.at(when).is_object()) continue;
          const std::string pointer = std::string("/device_state/") + when;
          expect_between(at, pointer, state.at(when), "sm_clock_mhz", 1, max_mhz);
          expect_between(at, pointer, state.at(when), "temperature_c", coldest_c, hottest_c);
          expect_between(at, pointer, state.at(when), "power_w", 0, max_w);
        }
      }
      const ordered_json& time = entries[i].at("time_us");
      if (!time.contains("clock")) continue;
      const ordered_json& clock = time.at("clock");
      for (const auto& [key, most] : {std::pair{"sm_mhz", max_mhz}, {"power_w", max_w}})
        if (clock.at(key).is_object())
          expect_between(at, std::string("/time_us/clock/") + key, clock.at(key), "max", 0, most);
      if (cap_w && clock.at("power_cap_w").is_number())
        at.expect_equal("/time_us/clock/power_cap_w", clock.at("power_cap_w"), *cap_w, "the device's");
    }
  }

  const checked_record& r_;
  const ordered_json& facts_;
  place at_;
  const held_against& against_;
  std::vector<finding>& to_;
  std::optional<data_sheet> sheet_;
};

}  // namespace

void check_context(const checked_record& r, const held_against& against, std::vector<finding>& to) {
  context_checks(r, against, to).all();
}

}  // namespace ablate::verify
