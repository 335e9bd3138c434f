#include "harness/runner/finish.h"

#include <vector>

#include "reports/record/writer.h"
#include "reports/text/bad_input.h"

namespace ablate {

using nlohmann::ordered_json;

finished_run finish_run(const journal_contents& from, const std::filesystem::path& journal,
                        const std::filesystem::path& record) {
  if (from.context.is_null())
    throw bad_input(journal.string(), "", "expected a run that came as far as its device, found none");
  if (from.planned.empty() && !from.entries.empty())
    throw bad_input(journal.string(), "",
                    "expected the cases that the run planned, found none; an older version wrote it");
  finished_run out;
  std::vector<ordered_json> benchmarks, unmeasured;
  for (const ordered_json& planned : from.planned) {
    const auto ended = from.entries.find(planned.at("key").get<std::string>());
    const ordered_json& entry = ended == from.entries.end() ? planned.at("case") : ended->second;
    out.statuses.insert(entry.at("status").get<std::string>());
    (entry.contains("time_us") ? benchmarks : unmeasured).push_back(entry);
  }
  out.measured = benchmarks.size();
  out.cases = from.planned.size();
  write_record(record, from.context, std::move(benchmarks), std::move(unmeasured));
  return out;
}

}  // namespace ablate
