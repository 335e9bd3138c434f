#include "harness/wrapped/read_wrapped.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "base/text/json_text.h"
#include "base/text/names.h"
#include "base/text/text_file.h"
#include "harness/wrapped/json_values.h"
#include "harness/wrapped/read_axis.h"
#include "harness/wrapped/read_variant.h"

namespace ablate::wrapped {

namespace fs = std::filesystem;

namespace {

class wrapped_reader {
 public:
  /// `has_code`: variants name their code and how it is launched.
  wrapped_reader(const fs::path& path, std::string text, bool has_code)
      : path_(path), text_(std::move(text)), has_code_(has_code), in_{.folder = path.parent_path()} {}

  wrapped_file read() {
    const nlohmann::ordered_json document = reports::parse_json(text_, path_.string());
    const json_place root(document, file_ = path_.string());
    root.expect_keys(
        {"$schema", "operation", "description", "axes", "arrays", "flops", "baseline", "variants"});
    files_.add_to_hash(text_);
    if (const auto schema = root.find("$schema")) schema->text();
    array_definition& of = out_.operation;
    of.name = case_word(root.at("operation"));
    of.description = root.at("description").text();
    if (const auto axes = root.find("axes"))
      for (const json_place& at : axes->elements()) in_.add(read_axis(at, axis_names_));
    of.axes = in_.axes;
    for (const json_place& at : root.at("arrays").at_least_one("array")) in_.add(read_array(at, in_));
    if (std::ranges::none_of(in_.arrays, [](const auto& a) { return a.role == buffer_role::output; }))
      root.at("arrays").refuse("expected at least one output");
    take_flops(root);
    of.answer = answer_of(in_.arrays, root.at("arrays"));
    for (const json_place& at : root.at("variants").at_least_one("variant")) add_variant(at);
    name_symbols();
    of.baseline = of.variants.front().facts.name;
    if (const auto baseline = root.find("baseline")) take_baseline(*baseline);
    if (has_code_) require_oracle(root.at("variants"));
    of.arrays = [arrays = in_.arrays](const axis_values& at) {
      std::vector<kernel_array> all;
      for (const array_entry& a : arrays) all.push_back(a.at(at));
      return all;
    };
    of.refuses = [arrays = in_.arrays](const axis_values& at) -> std::optional<std::string> {
      try {
        for (const array_entry& a : arrays) a.count_at(at);
      } catch (const expression_error& why) {
        return why.what();
      }
      return std::nullopt;
    };
    out_.hash = files_.hash();
    return std::move(out_);
  }

 private:
  void take_flops(const json_place& root) {
    const auto flops = root.find("flops");
    if (!flops) return;
    out_.operation.flops = [count = expression_at(*flops, in_.integer_axes)](const axis_values& at) {
      return static_cast<double>(count.at(at));
    };
  }

  void add_variant(const json_place& at) {
    std::vector<std::string> keys = {"name", "description", "switches", "only_where"};
    if (has_code_)
      keys.insert(keys.end(), {"code", "triton", "entry", "grid", "block", "dynamic_shared_bytes",
                               "cluster_blocks", "cooperative", "arguments"});
    else
      keys.push_back("minimum_compute_capability");
    at.expect_keys(keys);
    array_definition& of = out_.operation;
    array_variant made;
    made.facts = read_variant(at, of.axes, variant_names_);
    if (has_code_) {
      out_.launches.push_back(read_launch(at, in_, files_));
      made.facts.minimum_compute_capability = least_capability(out_.launches.back());
    } else if (const auto given = at.find("minimum_compute_capability")) {
      made.facts.minimum_compute_capability = static_cast<int>(given->integer(80, 999));
    }
    of.variants.push_back(std::move(made));
  }

  /// Kernels of one name in different files are told apart in records by their variants.
  void name_symbols() {
    std::map<std::string, std::set<const kernel_code*>> files;
    for (const wrapped_launch& launch : out_.launches)
      for (const auto& file : launch.kernel.files) files[launch.kernel.entry].insert(file.get());
    for (std::size_t i = 0; i < out_.launches.size(); ++i) {
      wrapped_launch& launch = out_.launches[i];
      launch.symbol = launch.kernel.entry;
      if (files[launch.kernel.entry].size() > launch.kernel.files.size())
        launch.symbol += "@" + out_.operation.variants[i].facts.name;
    }
  }

  void take_baseline(const json_place& at) {
    std::vector<std::string> known;
    for (const array_variant& v : out_.operation.variants) known.push_back(v.facts.name);
    out_.operation.baseline = at.text();
    if (std::ranges::find(known, out_.operation.baseline) == known.end())
      at.refuse(no_such("variant", out_.operation.baseline, known));
  }

  /// A baseline that is the oracle is launched wherever another variant is.
  void require_oracle(const json_place& at) const {
    const array_definition& of = out_.operation;
    if (of.has_oracle()) return;
    const auto baseline =
        std::ranges::find(of.variants, of.baseline, [](const array_variant& v) { return v.facts.name; });
    for (const array_variant& v : of.variants)
      if (v.facts.minimum_compute_capability < baseline->facts.minimum_compute_capability)
        at.refuse(
            fmt::format("the baseline '{}' is the oracle and runs from compute capability {} on, '{}' from "
                        "{} on; expected a baseline that runs wherever another variant does",
                        of.baseline, baseline->facts.minimum_compute_capability, v.facts.name,
                        v.facts.minimum_compute_capability));
    if (!baseline->facts.only_where.empty())
      at.refuse(
          fmt::format("the baseline '{}' is the oracle; expected it without 'only_where'", of.baseline));
  }

  fs::path path_;
  std::string text_, file_;
  bool has_code_;
  file_scope in_;
  std::set<std::string> axis_names_, variant_names_;
  code_files files_;
  wrapped_file out_;
};

}  // namespace

wrapped_file read_wrapped(const fs::path& path) {
  return wrapped_reader(path, reports::read_text_file(path), true).read();
}

array_definition read_plugin_operation(const std::string& text, const fs::path& plugin) {
  return std::move(wrapped_reader(plugin, text, false).read().operation);
}

}  // namespace ablate::wrapped
