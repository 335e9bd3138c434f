#include "harness/cli/program.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/names.h"
#include "base/text/shell.h"
#include "harness/build_facts.h"
#include "harness/cli/commands.h"
#include "harness/cli/help.h"
#include "harness/cli/old_spellings.h"
#include "harness/cli/wrap.h"

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
      build.dirty ? " (with uncommitted changes)" : "", build.source_hash, build.compiler,
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

/// A command, and the words that call it: `static check`.
struct named_command {
  const CLI::App* command;
  std::string name;
};

/// The command that the first words name, as far as they do.
named_command called_command(const CLI::App& program, const std::vector<const char*>& words) {
  named_command out{&program, ""};
  for (std::size_t i = 1; i < words.size(); ++i) {
    const auto next = out.command->get_subcommands(
        [&](const CLI::App* one) { return one->get_name() == std::string_view(words[i]); });
    if (next.empty()) break;
    out = {next.front(), out.name + (out.name.empty() ? "" : " ") + words[i]};
  }
  return out;
}

std::vector<std::string> names_of_commands(const CLI::App& of) {
  std::vector<std::string> out;
  for (const CLI::App* command : of.get_subcommands([](const CLI::App*) { return true; }))
    out.push_back(command->get_name());
  return out;
}

/// About the first word that the command does not take, an option before others; nothing if there is none.
std::optional<std::string> unexpected(const CLI::App& program, const named_command& called) {
  const std::vector<std::string> words = program.remaining(true);
  if (words.empty()) return std::nullopt;
  for (const std::string& word : words) {
    if (!word.starts_with("-")) continue;
    const std::string name = word.substr(0, word.find('='));
    if (const auto old = refusal_of_old(called.name, name)) return old;
    std::vector<std::string> known;
    for (const CLI::Option* option : called.command->get_options())
      for (const std::string& long_name : option->get_lnames()) known.push_back("--" + long_name);
    return fmt::format("no option '{}'{}", name, did_you_mean(name, known));
  }
  const std::vector<std::string> commands = names_of_commands(*called.command);
  if (commands.empty()) return fmt::format("unexpected argument '{}'", words.front());
  return no_such("command", words.front(), commands);
}

/// All that a person may have meant by a first word.
std::vector<std::string> with_developers_commands(std::vector<std::string> commands,
                                                  const CLI::App& developers) {
  for (const std::string& name : names_of_commands(developers)) commands.push_back("dev " + name);
  return commands;
}

void add_developers_commands(CLI::App& program, invocation& called) {
  CLI::App& dev = *program.add_subcommand(
      "dev", "Further commands: make and check records, noise floors, histories, clusters, profilers");
  dev.require_subcommand(1);
  add_record_command(dev, called);
  add_verify_command(dev, called);
  add_calibrate_command(dev, called);
  add_history_command(dev, called);
  add_submit_command(dev, called);
  add_launch_command(dev, called);
  add_inputs_command(dev, called);
  add_turns_command(dev, called);
  add_sample_command(dev, called);
  add_quote_command(dev, called);
  add_predict_check_command(dev, called);
  add_search_check_command(dev, called);
  add_trace_command(dev, called);
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
  shape_help(app);
  app.set_version_flag("--version", version_text,
                       "Version, commit, hash of the sources, compilers and GPU architectures");
  app.require_subcommand(1);
  app.footer(
      "Exit codes: 0 pass, 1 a regression, 2 usage or bad input, 3 a wrong result, 4 unfit environment, 75 "
      "the tool or a case failed, 130 interrupted.");

  invocation called{command_line(argc, argv)};
  add_run_command(app, called);
  add_list_command(app, called);
  add_plan_command(app, called);
  add_best_command(app, called);
  add_predict_command(app, called);
  add_search_command(app, called);
  add_explain_command(app, called);
  add_attribute_command(app, called);
  add_report_command(app, called);
  add_compare_command(app, called);
  add_gate_command(app, called);
  add_static_command(app, called);
  add_claims_command(app, called);
  add_wrap_command(app, called);
  add_new_command(app, called);
  add_doctor_command(app, called);
  add_developers_commands(app, called);

  const std::vector<std::string> commands = names_of_commands(app);
  std::vector<std::string> behind_files = commands;
  for (const std::string& old : old_commands()) behind_files.push_back(old);
  const std::vector<const char*> words = with_wrapped_files({argv, argv + argc}, behind_files);
  const std::string first = words.size() > 1 ? words[1] : "";
  const named_command meant = called_command(app, words);
  if (!first.empty() && first[0] != '-' && meant.name.empty())
    return refuse(refusal_of_old(first).value_or(no_such(
                      "command", first, with_developers_commands(commands, *app.get_subcommand("dev")))),
                  "ablate");

  try {
    app.parse(static_cast<int>(words.size()), words.data());
  } catch (const CLI::Success& help_or_version) {
    return app.exit(help_or_version);
  } catch (const CLI::ParseError& e) {
    const std::string help = meant.name.empty() ? "ablate" : "ablate " + meant.name;
    const auto kind = static_cast<CLI::ExitCodes>(e.get_exit_code());
    if (kind == CLI::ExitCodes::ExtrasError || kind == CLI::ExitCodes::RequiredError)
      if (const auto why = unexpected(app, meant)) return refuse(*why, help);
    return refuse(e.what(), help);
  }
  return called.exit_code;
}

}  // namespace ablate
