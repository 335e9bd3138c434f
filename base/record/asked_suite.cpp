#include "base/record/asked_suite.h"

#include <algorithm>

#include "base/record/suite_report.h"
#include "base/record/todays_suite.h"
#include "base/text/json_place.h"
#include "base/text/json_text.h"
#include "base/text/text_file.h"

namespace ablate {

asked_suite read_asked_suite(const std::filesystem::path& path) {
  const std::string file = path.string();
  nlohmann::ordered_json document = reports::parse_json(reports::read_text_file(path), file);
  rename_suite(document, file);
  const reports::json_place root(document, file);
  asked_suite out{root.at("name").text(), std::nullopt};
  if (const auto report = root.find("report")) out.question = suite_report_of(*report).question;
  if (out.question) {
    if (const auto files = root.find("point_files"))
      for (const auto& [name, given] : files->members()) out.question->scans.push_back(name);
    std::sort(out.question->scans.begin(), out.question->scans.end());
  }
  return out;
}

}  // namespace ablate
