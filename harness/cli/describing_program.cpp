#include "harness/cli/describing_program.h"

namespace ablate {

describing_program::describing_program(std::filesystem::path program, const launches_request& of,
                                       std::vector<std::string> more, std::vector<std::string> environment) {
  // A bare name would be looked up in PATH.
  if (!program.has_parent_path()) program = std::filesystem::path(".") / program;
  std::vector<std::string> words = {program.string(), "static", "launches", of.suite.string(),
                                    "--chip",         of.chip,  "--out",    file_.path().string()};
  if (!of.filter.empty()) words.insert(words.end(), {"--filter", of.filter});
  for (const std::string& folder : of.data) words.insert(words.end(), {"--data", folder});
  if (of.with_inputs) words.push_back("--inputs");
  words.insert(words.end(), more.begin(), more.end());
  running_ = std::make_unique<process::child_process>(
      process::command{.argv = std::move(words),
                       .environment = std::move(environment),
                       .on_output = [this](std::string_view text) { said_ += text; }});
}

gate::program_launches describing_program::read() {
  if (const process::ending ended = running_->wait(); ended.exit_code != 0) {
    constexpr std::string_view own_prefix = "ablate: ";
    std::string why = said_.substr(0, said_.find('\n'));
    if (why.starts_with(own_prefix)) why.erase(0, own_prefix.size());
    throw description_failed(why, ended.text());
  }
  return gate::read_program_launches(file_.path());
}

}  // namespace ablate
