#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/process/data_directory.h"
#include "base/text/bad_input.h"
#include "base/text/text_file.h"
#include "harness/cli/commands.h"
#include "harness/cli/new_project.h"

namespace ablate {

namespace fs = std::filesystem;

extern const char *const new_project_cmake,
    *const new_project_operation,
        *const new_project_kernel, *const new_project_suite, *const new_project_gate_suite,
                                                                 *const new_project_claims,
                                                                     *const new_project_readme,
                                                                         *const new_project_workflow,
                                                                             *const new_project_gitignore,
                                                                                 *const new_project_presets;

namespace {

using nlohmann::ordered_json;

/// Keywords of C++20 and CUDA, what a namespace of one's own would hide or clash with, and CMake's own
/// targets.
bool is_taken(const std::string& name) {
  static const std::set<std::string_view> taken = {
      "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "break", "case",
      "catch", "char", "char16_t", "char32_t", "char8_t", "class", "co_await", "co_return", "co_yield",
      "compl", "concept", "const", "const_cast", "consteval", "constexpr", "constinit", "continue",
      "decltype", "default", "delete", "do", "double", "dynamic_cast", "else", "enum", "explicit", "export",
      "extern", "false", "float", "for", "friend", "goto", "if", "inline", "int", "long", "mutable",
      "namespace", "new", "noexcept", "not", "not_eq", "nullptr", "operator", "or", "or_eq", "private",
      "protected", "public", "register", "reinterpret_cast", "requires", "return", "short", "signed",
      "sizeof", "static", "static_assert", "static_cast", "struct", "switch", "template", "this",
      "thread_local", "throw", "true", "try", "typedef", "typeid", "typename", "union", "unsigned", "using",
      "virtual", "void", "volatile", "wchar_t", "while", "xor", "xor_eq",
      // Names of the language's libraries and macros of compilers.
      "cuda", "linux", "nvcuda", "std", "thrust", "unix",
      // Names of the project itself.
      "ablate", "ceilings", "counters", "main",
      // Targets of every CMake project.
      "all", "clean", "depend", "edit_cache", "help", "install", "package", "rebuild_cache", "test"};
  return taken.contains(name);
}

/// It becomes a namespace, a CMake target, an operation and file names.
void require_project_name(const std::string& name) {
  const bool is_word = !name.empty() && name[0] >= 'a' && name[0] <= 'z' &&
                       name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string::npos &&
                       name.find("__") == std::string::npos && name.back() != '_';
  if (!is_word)
    throw bad_input(
        "NAME", "",
        fmt::format("'{}' cannot name a project: expected lowercase letters, digits and single _, a letter "
                    "first",
                    name));
  if (is_taken(name)) throw bad_input("NAME", "", fmt::format("'{}' is taken; expected another name", name));
}

std::string replaced(std::string_view text, std::string_view placeholder, const std::string& by) {
  std::string out;
  for (std::size_t at = 0;;) {
    const std::size_t next = text.find(placeholder, at);
    out += text.substr(at, next - at);
    if (next == std::string_view::npos) return out;
    out += by;
    at = next + placeholder.size();
  }
}

/// "2026-11-20", in UTC
std::string today() {
  const std::chrono::year_month_day day(
      std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now()));
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(day.year()), static_cast<unsigned>(day.month()),
                     static_cast<unsigned>(day.day()));
}

std::vector<project_file> written(const std::string& name,
                                  const std::vector<std::pair<std::string, const char*>>& templates) {
  require_project_name(name);
  std::vector<project_file> files;
  for (const auto& [path, text] : templates)
    files.push_back({path, replaced(replaced(text, "__name__", name), "__today__", today())});
  return files;
}

/// Where this program is installed; empty for one that runs where it was built.
std::string prefix_of_program() {
  const fs::path data = process::data_directory();
  const bool is_installed = data.filename() == "ablate" && data.parent_path().filename() == "share";
  return is_installed ? data.parent_path().parent_path().string() : "";
}

void write_whole(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  reports::write_text_file(path, text);
}

}  // namespace

std::vector<project_file> new_project(const std::string& name, const std::string& prefix) {
  std::vector<project_file> files = written(name, {{"operations/" + name + ".cpp", new_project_operation},
                                                   {"kernels/" + name + ".cu", new_project_kernel},
                                                   {"CMakeLists.txt", new_project_cmake},
                                                   {"CMakeUserPresets.json", new_project_presets},
                                                   {".gitignore", new_project_gitignore}});
  for (project_file& file : files)
    file.text = replaced(file.text, "\"__prefix__\"", ordered_json(prefix).dump());
  return files;
}

std::vector<project_file> new_gate(const std::string& name) {
  return written(name, {{"suites/" + name + ".json", new_project_suite},
                        {"suites/gates/" + name + ".json", new_project_gate_suite},
                        {"suites/claims/" + name + ".json", new_project_claims},
                        {".github/workflows/gate.yml", new_project_workflow},
                        {"README.md", new_project_readme}});
}

void add_new_command(CLI::App& program, invocation&) {
  struct arguments {
    std::string name, out;
    bool with_gate = false;
  };
  const auto given = std::make_shared<arguments>();
  CLI::App* command = program.add_subcommand(
      "new",
      "Write a project for your own kernel: an operation with an oracle and two variants. It builds against "
      "an installed Ablate, without a network");
  command->add_option("NAME", given->name, "Name of the operation, its namespace and its program")
      ->required();
  command->add_option("--out", given->out, "Folder to write; must not exist or must be empty [NAME]")
      ->type_name("DIR");
  command->add_flag("--gate", given->with_gate,
                    "Add checks for pull requests: a suite, a gate with its workflow, claims and a README; "
                    "in a project's folder, write only these");
  command->callback([given] {
    const fs::path folder = given->out.empty() ? fs::path(given->name) : fs::path(given->out);
    const std::vector<project_file> project = new_project(given->name, prefix_of_program());
    const bool is_fresh = !fs::exists(folder) || (fs::is_directory(folder) && fs::is_empty(folder));
    const bool is_project = fs::exists(folder / project.front().path);
    if (!is_fresh && !(given->with_gate && is_project))
      throw bad_input(folder.string(), "",
                      given->with_gate ? fmt::format("expected a project with {}, or an empty folder",
                                                     project.front().path)
                                       : "expected no such folder, or an empty one");
    std::vector<project_file> files = is_fresh ? project : std::vector<project_file>();
    if (given->with_gate) std::ranges::copy(new_gate(given->name), std::back_inserter(files));
    for (const project_file& file : files)
      if (fs::exists(folder / file.path))
        throw bad_input((folder / file.path).string(), "", "expected no such file");
    for (const project_file& file : files) write_whole(folder / file.path, file.text);
    fmt::print(
        "{}: {} files. Your kernel goes into\n  {}\n  {}\nTo build it and see its first counters:\n"
        "  cd {} && cmake --workflow --preset counters\n",
        folder.string(), files.size(), (folder / project[0].path).string(),
        (folder / project[1].path).string(), folder.string());
  });
}

}  // namespace ablate
