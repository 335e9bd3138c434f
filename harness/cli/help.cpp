#include "harness/cli/help.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/text/terminal.h"

namespace ablate {

namespace {

/// CLI11's, but the first screen only names the groups other than its own.
class help_text : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* of, std::string name, CLI::AppFormatMode mode) const override {
    if (mode != CLI::AppFormatMode::Normal) return CLI::Formatter::make_help(of, std::move(name), mode);
    return make_description(of) + make_usage(of, std::move(name)) + make_positionals(of) + first_options(of) +
           make_subcommands(of, mode) + "\n" + make_footer(of);
  }
  std::string make_option_desc(const CLI::Option* option) const override {
    return in_column(option->get_description());
  }
  std::string make_subcommand(const CLI::App* command) const override {
    std::ostringstream out;
    CLI::detail::format_help(out, command->get_display_name(true), in_column(command->get_description()),
                             get_column_width());
    return out.str();
  }
  std::string make_description(const CLI::App* of) const override {
    return in_lines(CLI::Formatter::make_description(of), terminal_.width);
  }
  std::string make_footer(const CLI::App* of) const override {
    return in_lines(CLI::Formatter::make_footer(of), terminal_.width);
  }

 private:
  std::string first_options(const CLI::App* of) const {
    const std::string first = of->get_help_ptr()->get_group();
    std::vector<std::string> further;
    for (const std::string& group : of->get_groups())
      if (group != first && !group.empty()) further.push_back(group);
    const std::vector<const CLI::Option*> shown = of->get_options(
        [&](const CLI::Option* option) { return option->get_group() == first && option->nonpositional(); });
    std::string out = make_group(first, false, shown);
    if (!further.empty()) out += fmt::format("\nMore with --help-all: {}\n", fmt::join(further, "; "));
    return out;
  }

  /// Broken into lines of a terminal; as it is for a file or a pipe.
  static std::string in_lines(std::string text, std::size_t width) {
    const bool ends = text.ends_with('\n');
    if (ends) text.pop_back();
    std::string out = reports::wrapped(text, {.width = width});
    while (out.ends_with('\n')) out.pop_back();
    return ends ? out + "\n" : out;
  }
  std::string in_column(const std::string& text) const {
    constexpr std::size_t least = 30;
    if (terminal_.width == 0) return text;
    const std::size_t used = get_column_width();
    return in_lines(text, std::max(least, terminal_.width - std::min(terminal_.width, used)));
  }

  reports::terminal terminal_ = reports::standard_output();
};

}  // namespace

void shape_help(CLI::App& program) {
  program.formatter(std::make_shared<help_text>());
  program.set_help_flag("-h,--help", "Print the most common options");
  program.set_help_all_flag("--help-all", "Print all options");
}

void group_options(CLI::App& command, const char* group, const std::vector<std::string>& names) {
  for (const std::string& name : names) command.get_option(name)->group(group);
}

}  // namespace ablate
