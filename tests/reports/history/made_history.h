#pragma once

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <string>

#include "base/text/bad_input.h"
#include "reports/history/database.h"
#include "tests/reports/made_record.h"
#include "tests/support/temporary_directory.h"

namespace ablate::history {

/// The made record as it would be of another night: by date, its times that many times as long.
inline nlohmann::ordered_json night_record(int day, double times = 1) {
  nlohmann::ordered_json record = reports::made_record();
  record["context"]["date"] = fmt::format("2026-{:02}-{:02}T03:00:00+00:00", 1 + day / 28, 1 + day % 28);
  record["context"]["ablate"]["build"]["commit"] = fmt::format("{:040x}", day + 1);
  for (auto& entry : record["benchmarks"])
    for (const char* key : {"median", "min", "mad", "ci95_low", "ci95_high"})
      entry["time_us"][key] = entry["time_us"][key].get<double>() * times;
  return record;
}

/// The same from another GPU, whose calibrated copy takes so long.
inline nlohmann::ordered_json night_on(const std::string& uuid, double copy_us, int day, double times = 1) {
  nlohmann::ordered_json record = night_record(day, times);
  record["context"]["ablate"]["device"]["uuid"] = uuid;
  for (auto& entry : record["benchmarks"])
    if (entry.value("ceiling", "") == "dram_bytes")
      for (const char* key : {"median", "min", "ci95_low", "ci95_high"}) entry["time_us"][key] = copy_us;
  return record;
}

/// Why histories cannot be tested in this build, or an empty text.
inline std::string why_no_sqlite() {
  const test_support::temporary_directory folder;
  try {
    database::open_for_adding(folder.path() / "probe.sqlite");
    return "";
  } catch (const bad_input& e) {
    return e.what();
  }
}

}  // namespace ablate::history
