#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/text/bad_input.h"
#include "base/text/json_text.h"
#include "base/text/new_file.h"
#include "base/text/text_file.h"
#include "harness/cli/commands.h"
#include "harness/cli/inputs.h"
#include "harness/cli/suite_option.h"
#include "harness/inputs/input_errors.h"
#include "harness/runner/buffers.h"

namespace ablate {

namespace {

struct inputs_arguments {
  suite_choice what;
  std::string filter, out;
  std::vector<std::string> data, outputs;
};

/// Version 1.0 of NumPy's format: bytes, in one dimension.
std::string npy_header(std::size_t bytes) {
  constexpr std::size_t aligned_to = 64, before_text = 10;
  std::string text = fmt::format("{{'descr': '|u1', 'fortran_order': False, 'shape': ({},), }}", bytes);
  const std::size_t unpadded = before_text + text.size() + 1;
  text.append((aligned_to - unpadded % aligned_to) % aligned_to, ' ');
  text.push_back('\n');
  const auto size = static_cast<unsigned>(text.size());
  return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(size & 0xff) + static_cast<char>(size >> 8) +
         text;
}

void write_npy(const std::filesystem::path& file, std::span<const std::byte> content) {
  reports::new_file to(file);
  to.write(npy_header(content.size()));
  to.write({reinterpret_cast<const char*>(content.data()), content.size()});
  to.keep();
}

/// Writes buffers as files of their names to a folder under `out`, and remembers which.
class buffer_files {
 public:
  buffer_files(std::filesystem::path out, std::string folder)
      : out_(std::move(out)), folder_(std::move(folder)) {}

  void write(const std::string& name, std::span<const std::byte> content) {
    files_[name] = folder_ + "/" + name + ".npy";
    write_npy(out_ / files_[name].get<std::string>(), content);
  }
  const nlohmann::ordered_json& all() const { return files_; }

 private:
  std::filesystem::path out_;
  std::string folder_;
  nlohmann::ordered_json files_ = nlohmann::ordered_json::object();
};

/// What the host reference computes from an input, of these names.
nlohmann::ordered_json write_outputs(const suite_case& of, const workload& work,
                                     const std::vector<buffer>& buffers,
                                     const std::vector<std::string>& names, buffer_files to) {
  std::vector<std::string> known;
  for (const buffer& b : buffers)
    if (b.is_checked()) known.push_back(b.name);
  for (const std::string& name : names)
    if (std::ranges::find(known, name) == known.end())
      throw bad_input("--outputs", "",
                      fmt::format("expected outputs of {} ({}), found '{}'", of.operation->name,
                                  fmt::join(known, ", "), name));
  if (!work.reference)
    throw bad_input(
        "--outputs", "",
        fmt::format("expected operations with a host reference, {} has none", of.operation->name));
  host_outputs outputs(buffers);
  std::vector<void*> addresses;
  for (std::size_t i = 0; i < buffers.size(); ++i)
    addresses.push_back(buffers[i].is_checked() ? outputs.at(i) : nullptr);
  work.reference(addresses);
  for (std::size_t i = 0; i < buffers.size(); ++i)
    if (std::ranges::find(names, buffers[i].name) != names.end())
      to.write(buffers[i].name, {static_cast<const std::byte*>(addresses[i]), buffers[i].bytes});
  return to.all();
}

/// One input's buffers, in a folder of their own, and what describes them.
nlohmann::ordered_json write_input(const suite_case& of, const input_library& inputs,
                                   const inputs_arguments& given, const std::string& folder) {
  const workload work = of.operation->prepare(of.axes, inputs);
  const std::vector<buffer> buffers = of.operation->buffers(of.axes, inputs);
  std::filesystem::create_directories(std::filesystem::path(given.out) / folder);
  nlohmann::ordered_json entry = {{"operation", of.operation->name}}, axes;
  for (const auto& [name, value] : of.axes) axes[name] = value;
  buffer_files files(given.out, folder);
  for (std::size_t i = 0; i < work.contents.size(); ++i)
    if (!work.contents[i].empty()) files.write(buffers[i].name, work.contents[i]);
  entry["axes"] = std::move(axes);
  entry["input"] = work.input;
  entry["buffers"] = files.all();
  if (!given.outputs.empty())
    entry["outputs"] = write_outputs(of, work, buffers, given.outputs, {given.out, folder});
  return entry;
}

}  // namespace

void add_inputs_command(CLI::App& program, invocation&) {
  CLI::App* command = program.add_subcommand(
      "inputs", "Write the inputs of a suite's cases as files, for other programs that compute the same");
  const auto given = std::make_shared<inputs_arguments>();
  add_suite_options(*command, given->what);
  command
      ->add_option("--filter", given->filter,
                   "Only inputs of these cases, selected among the host references as for `run`")
      ->type_name("AXIS=VALUE...|RE");
  command->add_option("--out", given->out, "Folder for the files; created if missing")
      ->required()
      ->type_name("DIR");
  command
      ->add_option(
          "--outputs", given->outputs,
          "Also write these outputs of the host reference; zeros where it is too slow for a whole output, as "
          "for large backbones")
      ->type_name("NAME,...")
      ->delimiter(',')
      ->allow_extra_args(false);
  add_data_option(*command, given->data);
  command->footer(
      "Writes each input once: a folder with a file of bytes in NumPy's format (.npy) per input buffer, and "
      "inputs.json, which lists operation, axes, facts (hash, points …) and files of all. Needs no GPU. An "
      "input that is missing or does not fit its axes is named and skipped.");
  command->callback([given] {
    const suite from = chosen_suite(given->what);
    const input_library inputs = make_input_library(from, given->data);
    const std::filesystem::path out = given->out;
    std::filesystem::create_directories(out);
    nlohmann::ordered_json written = nlohmann::ordered_json::array();
    for (const suite_case& each : expand(from, {.host = true}, inputs, given->filter)) {
      if (each.not_applicable) continue;
      try {
        written.push_back(write_input(each, inputs, *given, std::to_string(written.size())));
      } catch (const input_missing& missing) {
        fmt::print(stderr, "{}: {}\n", each.id, missing.what());
      } catch (const input_unfit& unfit) {
        fmt::print(stderr, "{}: {}\n", each.id, unfit.what());
      }
    }
    reports::write_text_file(
        out / "inputs.json",
        reports::json_text({{"suite", from.name}, {"seed", from.seed}, {"inputs", written}}) + "\n");
    fmt::print("{} inputs: {}\n", written.size(), (out / "inputs.json").string());
  });
}

}  // namespace ablate
