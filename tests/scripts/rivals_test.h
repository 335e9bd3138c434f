#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/reports/made_record.h"
#include "tests/support/capability.h"
#include "tests/support/paths.h"
#include "tests/support/run_program.h"

namespace ablate::test_support {

/// Scripts of scripts/rivals that put made measurements into a made record: neither PyTorch nor a GPU takes
/// part.
class rivals_test : public ::testing::Test {
 protected:
  using ordered_json = nlohmann::ordered_json;

  explicit rivals_test(const std::string& script)
      : script_(test_support::source_path("scripts/rivals/") + script) {}

  void SetUp() override {
    if (!process::find_program("python3")) ABLATE_LACKS("python3", "python3 is not installed");
    folder_ = reports::fresh_folder();
  }

  std::filesystem::path put(const std::string& name, const ordered_json& json) const {
    std::ofstream(folder_ / name, std::ios::binary) << json.dump();
    return folder_ / name;
  }

  /// Into record.json.
  program_result add(const ordered_json& record, const ordered_json& measured,
                     const std::vector<std::string>& options = {}) const {
    const auto to = put("record.json", record), from = put("measured.json", measured);
    std::vector<std::string> words = {"python3", script_, to.string(), "--from-json", from.string()};
    words.insert(words.end(), options.begin(), options.end());
    return run_program(words, {"PYTHONDONTWRITEBYTECODE=1"});
  }

  ordered_json added() const { return ordered_json::parse(reports::text_of(folder_ / "record.json")); }

  std::filesystem::path folder_;

 private:
  std::string script_;
};

}  // namespace ablate::test_support
