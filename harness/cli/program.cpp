#include "harness/cli/program.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/build_facts.h"
#include "harness/cli/commands.h"
#include "harness/cli/wrap.h"
#include "reports/text/names.h"
#include "reports/text/shell.h"

namespace ablate {

namespace {

constexpr int usage_error = 2;

std::string version_text() {
  const build_facts& build = this_build();
  const std::string_view commit = build.commit.empty() ? "unknown" : build.commit;
  const std::string library = is_own_program()
                                  ? fmt::format("\nAblate         {}, sources {}", library_build().version,
                                                library_build().source_hash)
                                  : "";
  return fmt::format(
      "{}{}{}\n"
      "commit         {}{}\n"
      "sources        {}\n"
      "compiler       {}\n"
      "CUDA compiler  {}\n"
      "machine code   {}\n"
      "build type     {}{}",
      build.program, build.version.empty() ? "" : " ", build.version, commit,
      build.dirty ? " (the sources differed from it)" : "", build.source_hash, build.compiler,
      build.cuda_compiler.empty() ? "none: built without CUDA" : build.cuda_compiler,
      build.cuda_architectures.empty() ? "none" : build.cuda_architectures, build.build_type, library);
}

/// As a shell takes it again.
std::string command_line(int argc, const char* const* argv) {
  std::string text;
  for (int i = 0; i < argc; ++i) {
    std::string_view word = argv[i];
    if (i == 0 && word.rfind('/') != std::string_view::npos) word.remove_prefix(word.rfind('/') + 1);
    text += (i == 0 ? "" : " ") + reports::shell_word(word);
  }
  return text;
}

/// The command that was called: `check` of `ablate static check`.
const CLI::App& innermost(const CLI::App& program) {
  const CLI::App* out = &program;
  while (!out->get_subcommands().empty()) out = out->get_subcommands().back();
  return *out;
}

std::vector<std::string> names_of_commands(const CLI::App& of) {
  std::vector<std::string> out;
  for (const CLI::App* command : of.get_subcommands([](const CLI::App*) { return true; }))
    out.push_back(command->get_name());
  return out;
}

/// About the first word that no command takes, an option before others; nothing if there is none.
std::optional<std::string> unexpected(const CLI::App& program) {
  const std::vector<std::string> words = program.remaining(true);
  if (words.empty()) return std::nullopt;
  const CLI::App& command = innermost(program);
  for (const std::string& word : words) {
    if (!word.starts_with("-")) continue;
    const std::string name = word.substr(0, word.find('='));
    std::vector<std::string> known;
    for (const CLI::Option* option : command.get_options())
      for (const std::string& long_name : option->get_lnames()) known.push_back("--" + long_name);
    return fmt::format("no option '{}'{}", name, did_you_mean(name, known));
  }
  const std::vector<std::string> commands = names_of_commands(command);
  if (!commands.empty()) return no_such("command", words.front(), commands);
  return fmt::format("unexpected argument '{}'", words.front());
}

int refuse(const std::string& what, const std::string& help) {
  std::string line = what;
  std::replace(line.begin(), line.end(), '\n', ' ');
  std::fprintf(stderr, "ablate: %s; see `%s --help`\n", line.c_str(), help.c_str());
  return usage_error;
}

}  // namespace

int run_program(int argc, const char* const* argv) {
  CLI::App app("Measures whether a design choice in a GPU kernel pays, on this chip, at this size, and why.",
               std::string(this_build().program));
  app.set_version_flag("--version", version_text,
                       "Version, commit, hash of the sources, compilers and GPU architectures");
  app.require_subcommand(1);
  app.footer(
      "Exit codes: 0 pass, 1 a regression, 2 usage or bad input, 3 a wrong result, 4 unfit environment, 75 a "
      "failure of the tool or of a "
      "case, 130 interrupted.");

  invocation called{command_line(argc, argv)};
  add_list_command(app, called);
  add_plan_command(app, called);
  add_run_command(app, called);
  add_record_command(app, called);
  add_merge_command(app, called);
  add_verify_command(app, called);
  add_publish_command(app, called);
  add_launch_command(app, called);
  add_inputs_command(app, called);
  add_turns_command(app, called);
  add_sample_command(app, called);
  add_report_command(app, called);
  add_claims_command(app, called);
  add_quote_command(app, called);
  add_best_command(app, called);
  add_explain_command(app, called);
  add_compare_command(app, called);
  add_gate_command(app, called);
  add_calibrate_command(app, called);
  add_doctor_command(app, called);
  add_static_command(app, called);
  add_history_command(app, called);
  add_fleet_command(app, called);
  add_submit_command(app, called);
  add_new_command(app, called);
  add_wrap_command(app, called);

  const std::vector<std::string> commands = names_of_commands(app);
  const std::vector<const char*> words = with_wrapped_files({argv, argv + argc}, commands);
  const std::string first = words.size() > 1 ? words[1] : "";
  const bool is_command = std::find(commands.begin(), commands.end(), first) != commands.end();
  if (!first.empty() && first[0] != '-' && !is_command)
    return refuse(no_such("command", first, commands), "ablate");

  try {
    app.parse(static_cast<int>(words.size()), words.data());
  } catch (const CLI::Success& help_or_version) {
    return app.exit(help_or_version);
  } catch (const CLI::ParseError& e) {
    const std::string help = is_command ? "ablate " + first : "ablate";
    const auto kind = static_cast<CLI::ExitCodes>(e.get_exit_code());
    if (kind == CLI::ExitCodes::ExtrasError || kind == CLI::ExitCodes::RequiredError)
      if (const auto why = unexpected(app)) return refuse(*why, help);
    return refuse(e.what(), help);
  }
  return called.exit_code;
}

}  // namespace ablate
