#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>

#include "base/process/child_process.h"
#include "base/process/find_program.h"
#include "base/record/upgrade.h"
#include "base/record/writer.h"
#include "base/text/json_place.h"
#include "reports/plots/render.h"
#include "tests/support/paths.h"
#include "tests/support/temporary_directory.h"

namespace ablate::reports {

inline std::filesystem::path made_data() { return test_support::source_path("tests/reports/data"); }
inline std::filesystem::path made_record_path() { return made_data() / "small_record.json"; }

inline std::string text_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

inline nlohmann::ordered_json made_record() {
  return nlohmann::ordered_json::parse(text_of(made_record_path()));
}

/// A record of such entries, of whichever version, in which what the writer derives may be missing.
inline record record_of(const nlohmann::ordered_json& context, const nlohmann::ordered_json& benchmarks,
                        const nlohmann::ordered_json& unmeasured) {
  nlohmann::ordered_json json = {
      {"context", context}, {"benchmarks", benchmarks}, {"unmeasured", unmeasured}};
  upgrade(json, "made record");
  record out{};
  from_json(json_place(json, "made record"), out);
  return out;
}

inline void write_record(const std::filesystem::path& path, const nlohmann::ordered_json& context,
                         const nlohmann::ordered_json& benchmarks,
                         const nlohmann::ordered_json& unmeasured = nlohmann::ordered_json::array()) {
  ablate::write_record(path, record_of(context, benchmarks, unmeasured));
}

/// An empty folder of the running test's own.
inline std::filesystem::path fresh_folder() {
  const auto* test = testing::UnitTest::GetInstance()->current_test_info();
  const std::filesystem::path folder =
      test_support::directory_of_process() / test->test_suite_name() / test->name();
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  return folder;
}

inline std::filesystem::path written(const std::string& name, const std::string& text) {
  const std::filesystem::path path = fresh_folder() / name;
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

/// For the life of a test, an environment variable has another value.
class environment {
 public:
  environment(const char* name, const std::string& value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    ::setenv(name, value.c_str(), 1);
  }
  ~environment() { old_ ? ::setenv(name_, old_->c_str(), 1) : ::unsetenv(name_); }
  environment(const environment&) = delete;
  environment& operator=(const environment&) = delete;

 private:
  const char* name_;
  std::optional<std::string> old_;
};

/// Why plots and schemas cannot be had here, or an empty text.
inline std::string why_no_node(const std::string& package) {
  if (!process::find_program("node")) return "node is not installed";
  if (!std::filesystem::exists(renderer_directory() / "node_modules" / package))
    return "the npm package " + package + " is not installed (npm ci --prefix reports)";
  return "";
}

}  // namespace ablate::reports
