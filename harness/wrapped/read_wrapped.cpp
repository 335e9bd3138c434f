#include "harness/wrapped/read_wrapped.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/text/json_place.h"
#include "base/text/json_text.h"
#include "base/text/names.h"
#include "base/text/text_file.h"
#include "harness/inputs/files/npy_file.h"
#include "harness/inputs/input_errors.h"
#include "harness/registry/case_id.h"
#include "harness/wrapped/element_type.h"
#include "harness/wrapped/triton.h"

namespace ablate::wrapped {

namespace {

using reports::json_place;
namespace fs = std::filesystem;

std::string hash_of_text(const std::string& text) { return hash_hex(text.data(), text.size()); }

std::string case_word(const json_place& at) {
  const std::string word = at.text();
  if (!is_case_id_word(word))
    at.refuse(fmt::format("'{}' cannot stand in a case id; expected letters, digits and _.=+-", word));
  return word;
}

/// An expression, or an integer.
expression expression_at(const json_place& at, const std::vector<std::string>& axes) {
  if (at.json().is_number_integer()) return expression::constant(at.json().get<std::int64_t>());
  if (!at.json().is_string()) at.refuse_value("an integer, or an expression of axes");
  try {
    expression read(at.text(), axes);
    if (read.is_constant()) read.at({});  // says why there is no value
    return read;
  } catch (const expression_error& why) {
    at.refuse(why.what());
  }
}

/// [low, high]
template <class Read>
auto two(const json_place& at, Read&& read) {
  const std::vector<json_place> ends = at.elements();
  if (ends.size() != 2 || read(ends[0]) > read(ends[1])) at.refuse("expected [low, high], low first");
  return std::pair{read(ends[0]), read(ends[1])};
}

/// A file's name with {axis} where a value goes.
class path_pattern {
 public:
  path_pattern(const json_place& at, const fs::path& folder, const std::vector<axis>& axes)
      : text_(at.text()), folder_(folder) {
    for (std::size_t open = text_.find('{'); open != std::string::npos; open = text_.find('{', open + 1)) {
      const std::size_t close = text_.find('}', open);
      const std::string name = close == std::string::npos ? "" : text_.substr(open + 1, close - open - 1);
      if (std::ranges::find(axes, name, &axis::name) == axes.end())
        at.refuse(fmt::format("'{}': expected the name of an axis in braces", text_));
    }
  }

  fs::path at(const axis_values& axes) const {
    std::string out = text_;
    for (const auto& [name, value] : axes)
      for (std::size_t found; (found = out.find("{" + name + "}")) != std::string::npos;)
        out.replace(found, name.size() + 2, value);
    return folder_ / out;
  }

 private:
  std::string text_;
  fs::path folder_;
};

std::vector<std::byte> elements_of_file(const fs::path& path, const element_type& type, std::int64_t count) {
  std::error_code error;
  if (!fs::exists(path, error)) throw input_missing(path.string() + ": there is no such file");
  return npy_elements(path, {type.npy, type.bytes, static_cast<std::uint64_t>(count)});
}

/// An array as the file describes it, before its axes have values.
struct array_entry {
  std::string name;
  buffer_role role = buffer_role::input;
  const element_type* type = nullptr;
  expression count = expression::constant(0);
  double tolerance = 0;
  /// Of an input: its contents.
  std::function<std::vector<std::byte>(const axis_values&, std::int64_t count, std::uint64_t seed)> fill = {};
  bool may_change = false;
  /// Of an output: the file that holds what is right.
  std::optional<path_pattern> expected = {};

  std::int64_t count_at(const axis_values& at) const {
    const std::int64_t elements = count.at(at);
    if (elements < 0 || elements > (std::int64_t{1} << 40))
      throw expression_error(fmt::format("array '{}' of {} elements", name, elements));
    return elements;
  }

  kernel_array at(const axis_values& axes) const {
    const std::int64_t elements = count_at(axes);
    if (role == buffer_role::output) return output_array(name, *type, elements, tolerance);
    if (role == buffer_role::scratch) return scratch_array(name, *type, elements);
    kernel_array input =
        input_array(name, *type, elements,
                    [fill = fill, axes, elements](std::uint64_t seed) { return fill(axes, elements, seed); });
    input.may_change = may_change;
    return input;
  }
};

class wrapped_reader {
 public:
  /// `has_code`: variants name their code and how it is launched.
  wrapped_reader(const fs::path& path, std::string text, bool has_code)
      : path_(path), folder_(path.parent_path()), text_(std::move(text)), has_code_(has_code) {}

  wrapped_file read() {
    const nlohmann::ordered_json document = reports::parse_json(text_, path_.string());
    const json_place root(document, file_ = path_.string());
    root.expect_keys(
        {"$schema", "operation", "description", "axes", "arrays", "flops", "baseline", "variants"});
    hashes_ = hash_of_text(text_);
    if (const auto schema = root.find("$schema")) schema->text();
    array_definition& of = out_.operation;
    of.name = case_word(root.at("operation"));
    of.description = root.at("description").text();
    if (const auto axes = root.find("axes"))
      for (const json_place& at : axes->elements()) add_axis(at);
    for (const json_place& at : root.at("arrays").at_least_one("array")) add_array(at);
    if (std::ranges::none_of(arrays_, [](const auto& a) { return a.role == buffer_role::output; }))
      root.at("arrays").refuse("expected at least one output");
    take_flops(root);
    take_answer(root.at("arrays"));
    for (const json_place& at : root.at("variants").at_least_one("variant")) add_variant(at);
    name_symbols();
    of.baseline = of.variants.front().facts.name;
    if (const auto baseline = root.find("baseline")) take_baseline(*baseline);
    if (has_code_) require_oracle(root.at("variants"));
    of.arrays = [arrays = arrays_](const axis_values& at) {
      std::vector<kernel_array> all;
      for (const array_entry& a : arrays) all.push_back(a.at(at));
      return all;
    };
    of.refuses = [arrays = arrays_](const axis_values& at) -> std::optional<std::string> {
      try {
        for (const array_entry& a : arrays) a.count_at(at);
      } catch (const expression_error& why) {
        return why.what();
      }
      return std::nullopt;
    };
    out_.hash = hash_of_text(hashes_);
    return std::move(out_);
  }

 private:
  void add_axis(const json_place& at) {
    at.expect_keys({"name", "description", "words", "minimum", "maximum", "default"});
    const std::string name = case_word(at.at("name"));
    std::vector<axis>& axes = out_.operation.axes;
    if (!axis_names_.insert(name).second) at.at("name").refuse(fmt::format("there are two axes '{}'", name));
    const auto described = at.find("description");
    const std::string description = described ? described->text() : name;
    if (const auto words = at.find("words")) {
      std::vector<std::string> all;
      for (const json_place& word : words->at_least_one("word")) all.push_back(case_word(word));
      axes.push_back(axis::of_words(name, std::move(all), description));
      if (const auto by_default = at.find("default")) {
        axes.back().default_value = by_default->text();
        if (std::ranges::find(axes.back().words, axes.back().default_value) == axes.back().words.end())
          by_default->refuse(no_such("word", axes.back().default_value, axes.back().words));
      }
      return;
    }
    constexpr std::int64_t most = std::int64_t{1} << 40;
    const std::int64_t low = at.at("minimum").integer(0, most), high = at.at("maximum").integer(low, most);
    const auto by_default = at.find("default");
    axes.push_back(
        axis::of_integers(name, low, high, by_default ? by_default->integer(low, high) : low, description));
    integers_.push_back(name);
  }

  void add_array(const json_place& at) {
    at.expect_keys({"name", "role", "type", "count", "fill", "change", "tolerance", "expected"});
    array_entry made;
    made.name = case_word(at.at("name"));
    if (!places_of_arrays_.emplace(made.name, arrays_.size()).second)
      at.at("name").refuse(fmt::format("there are two arrays '{}'", made.name));
    const std::string role = at.at("role").text();
    if (role == "output")
      made.role = buffer_role::output;
    else if (role == "scratch")
      made.role = buffer_role::scratch;
    else if (role != "input")
      at.at("role").refuse(no_such("role", role, {"input", "output", "scratch"}));
    made.type = type_at(at.at("type"));
    made.count = expression_at(at.at("count"), integers_);
    const auto only_for = [&](const char* key, buffer_role of, const char* what) {
      const auto given = at.find(key);
      if (given && made.role != of) given->refuse(fmt::format("expected none: only {} has it", what));
      return given;
    };
    const auto fill = only_for("fill", buffer_role::input, "an input");
    if (made.role == buffer_role::input) made.fill = filled(fill, made);
    // Integers of a file may be places in other arrays, or ascend.
    const bool is_from_file = fill && fill->find("file");
    made.may_change = made.role == buffer_role::input && (made.type->is_real || !is_from_file);
    if (const auto change = only_for("change", buffer_role::input, "an input"))
      made.may_change = change->boolean();
    if (const auto tolerance = only_for("tolerance", buffer_role::output, "an output"))
      made.tolerance = tolerance->not_negative();
    if (const auto expected = only_for("expected", buffer_role::output, "an output"))
      made.expected = path_pattern(*expected, folder_, out_.operation.axes);
    arrays_.push_back(std::move(made));
  }

  static const element_type* type_at(const json_place& at) {
    const std::string name = at.text();
    const element_type* const type = find_element_type(name);
    if (!type) at.refuse(fmt::format("no type '{}'; expected one of {}", name, element_type_names()));
    return type;
  }

  decltype(array_entry::fill) filled(const std::optional<json_place>& at, const array_entry& of) const {
    const element_type& type = *of.type;
    const std::string& name = of.name;
    const auto uniform = [&type, name](double low, double high) {
      return [&type, name, low, high](const axis_values&, std::int64_t count, std::uint64_t seed) {
        return uniform_elements(type, count, low, high, seed, name);
      };
    };
    if (!at) {
      if (type.is_real) return uniform(-1, 1);
      return [&type, name](const axis_values&, std::int64_t count, std::uint64_t seed) {
        return integer_elements(type, count, 0, 100, seed, name);
      };
    }
    at->expect_keys({"uniform", "integers", "value", "file"});
    if (at->json().size() != 1) at->refuse("expected one of the keys uniform, integers, value, file");
    if (const auto given = at->find("uniform")) {
      if (!type.is_real) given->refuse(fmt::format("expected 'integers' for elements of type {}", type.name));
      const auto [low, high] = two(*given, [](const json_place& one) { return one.number(); });
      return uniform(low, high);
    }
    constexpr std::int64_t most = std::int64_t{1} << 53;
    const auto integer = [&type](const json_place& one) {
      const std::int64_t number = one.integer(-most, most);
      if (!can_hold(type, number)) one.refuse(fmt::format("{} is no number of type {}", number, type.name));
      return number;
    };
    if (const auto given = at->find("integers")) {
      const auto [low, high] = two(*given, integer);
      if (high - low >= 0xffffffff) given->refuse("expected fewer than 2^32 different integers");
      return
          [&type, name, low = low, high = high](const axis_values&, std::int64_t count, std::uint64_t seed) {
            return integer_elements(type, count, low, high, seed, name);
          };
    }
    if (const auto given = at->find("value")) {
      std::vector<std::byte> element(type.bytes);
      if (type.is_real)
        put_number(type, given->number(), element.data());
      else
        put_integer(type, integer(*given), element.data());
      return [element](const axis_values&, std::int64_t count, std::uint64_t) {
        std::vector<std::byte> out;
        out.reserve(element.size() * static_cast<std::size_t>(count));
        for (std::int64_t i = 0; i < count; ++i) out.insert(out.end(), element.begin(), element.end());
        return out;
      };
    }
    return [&type, path = path_pattern(at->at("file"), folder_, out_.operation.axes)](
               const axis_values& axes, std::int64_t count, std::uint64_t) {
      return elements_of_file(path.at(axes), type, count);
    };
  }

  void take_flops(const json_place& root) {
    const auto flops = root.find("flops");
    if (!flops) return;
    out_.operation.flops = [count = expression_at(*flops, integers_)](const axis_values& at) {
      return static_cast<double>(count.at(at));
    };
  }

  /// Where files hold what is right, they do so for all outputs.
  void take_answer(const json_place& at) {
    const auto is_expected = [](const array_entry& a) { return a.expected.has_value(); };
    if (std::ranges::none_of(arrays_, is_expected)) return;
    for (const array_entry& a : arrays_)
      if (a.role == buffer_role::output && !a.expected)
        at.refuse(
            fmt::format("output '{}' has no 'expected', others have: expected it for all or none", a.name));
    out_.operation.answer = [arrays = arrays_](const axis_values& axes) {
      std::vector<std::vector<std::byte>> all;
      for (const array_entry& a : arrays)
        all.push_back(a.expected ? elements_of_file(a.expected->at(axes), *a.type, a.count_at(axes))
                                 : std::vector<std::byte>());
      return all;
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
    array_variant made;
    variant_facts& facts = made.facts;
    facts.name = case_word(at.at("name"));
    if (facts.name == "reference")
      at.at("name").refuse("'reference' is the host reference's; expected another name");
    if (!variant_names_.insert(facts.name).second)
      at.at("name").refuse(fmt::format("there are two variants '{}'", facts.name));
    if (const auto given = at.find("description")) facts.description = given->text();
    if (const auto given = at.find("switches")) facts.switches = switches_at(*given);
    if (const auto given = at.find("only_where")) facts.only_where = conditions_at(*given);
    if (has_code_)
      facts.minimum_compute_capability = add_launch(at);
    else if (const auto given = at.find("minimum_compute_capability"))
      facts.minimum_compute_capability = static_cast<int>(given->integer(80, 999));
    out_.operation.variants.push_back(std::move(made));
  }

  /// Gives the least compute capability that the code runs on.
  int add_launch(const json_place& at) {
    wrapped_launch launch;
    for (const json_place& one : at.at("arguments").elements()) launch.arguments.push_back(argument_at(one));
    if (at.find("triton"))
      take_triton(at, launch);
    else
      take_code(at, launch);
    require_parameters(at.at("arguments"), launch);
    launch.grid = extents_at(at.at("grid"));
    if (const auto blocks = constants(launch.grid); std::ranges::any_of(blocks, [](auto n) { return n < 1; }))
      at.at("grid").refuse_value("1 block or more");
    int least = 1000;
    for (const auto& file : launch.kernel.files)
      least = std::min(least, std::max(80, file->least_capability()));
    out_.launches.push_back(std::move(launch));
    return least;
  }

  /// The kernel must take the arguments, as far as its code says what it takes.
  static void require_parameters(const json_place& at, const wrapped_launch& launch) {
    std::vector<argument_facts> given;
    for (const argument& one : launch.arguments) given.push_back(one.facts);
    for (const auto& file : launch.kernel.files)
      for (const code_kernel& kernel : file->kernels)
        if (kernel.entry == launch.kernel.entry)
          if (const auto why = mismatch(kernel.parameter_bytes, given))
            at.refuse(fmt::format("kernel '{}' of {}: {}", kernel.entry, file->path.string(), *why));
  }

  /// The values of those that name no axis.
  static std::vector<std::int64_t> constants(const std::vector<expression>& of) {
    std::vector<std::int64_t> out;
    for (const expression& one : of)
      if (one.is_constant()) out.push_back(one.at({}));
    return out;
  }

  static switches switches_at(const json_place& at) {
    switches out;
    for (const auto& [name, value] : at.members())
      out = out.with({{name, value.json().is_string() ? value.text() : value.json().dump()}});
    return out;
  }

  axis_conditions conditions_at(const json_place& at) const {
    axis_conditions out;
    for (const auto& [name, words] : at.members()) {
      const auto of = std::ranges::find(out_.operation.axes, name, &axis::name);
      if (of == out_.operation.axes.end()) words.refuse(no_such("axis", name, axis_names()));
      out.emplace_back(name, words.one_or_more([&of](const json_place& one) {
        const std::string word = one.json().is_number_integer() ? one.json().dump() : std::string(one.text());
        if (const auto why = of->refuses(word, {})) one.refuse(*why);
        return word;
      }));
    }
    return out;
  }

  std::vector<std::string> axis_names() const {
    std::vector<std::string> out;
    for (const axis& a : out_.operation.axes) out.push_back(a.name);
    return out;
  }

  argument argument_at(const json_place& at) const {
    argument out;
    if (at.is_null()) return out;
    const auto members = at.members();
    if (members.size() != 1) at.refuse("expected null, {\"array\": NAME} or {TYPE: VALUE}");
    const auto& [key, value] = members.front();
    if (key == "array") {
      const std::string name = value.text();
      const auto found = places_of_arrays_.find(name);
      if (found == places_of_arrays_.end()) {
        std::vector<std::string> known;
        for (const array_entry& a : arrays_) known.push_back(a.name);
        value.refuse(no_such("array", name, known));
      }
      out.is = argument::kind::array;
      out.array = found->second;
      out.facts = {fmt::format("array '{}'", name), sizeof(void*)};
      return out;
    }
    const element_type* const type = find_element_type(key);
    if (!type) at.refuse(fmt::format("no type '{}'; expected array, {}", key, element_type_names()));
    out.type = type;
    out.facts = {fmt::format("{} {}", key, value.json().dump()), type->bytes};
    if (type->is_real && value.json().is_number()) {
      out.is = argument::kind::real;
      out.real = value.number();
    } else {
      out.is = argument::kind::integer;
      out.integer = expression_at(value, integers_);
    }
    return out;
  }

  std::vector<expression> extents_at(const json_place& at) const {
    if (!at.json().is_array()) return {expression_at(at, integers_)};
    std::vector<expression> out;
    for (const json_place& one : at.at_least_one("extent")) out.push_back(expression_at(one, integers_));
    if (out.size() > 3) at.refuse("expected x, y and z at most");
    return out;
  }

  void take_code(const json_place& at, wrapped_launch& launch) {
    const json_place code = at.at("code");
    code.one_or_more([&](const json_place& one) {
      launch.kernel.files.push_back(code_at(one));
      return one.text();
    });
    launch.block = extents_at(at.at("block"));
    const std::vector<std::int64_t> threads = constants(launch.block);
    if (const auto why = why_no_block(threads)) at.at("block").refuse(*why);
    if (const auto given = at.find("dynamic_shared_bytes")) {
      launch.dynamic_shared_bytes = expression_at(*given, integers_);
      if (launch.dynamic_shared_bytes.is_constant() && launch.dynamic_shared_bytes.at({}) < 0)
        given->refuse_value("0 bytes or more");
    }
    if (const auto given = at.find("cluster_blocks"))
      launch.cluster_blocks = static_cast<unsigned>(given->integer(1, 16));
    if (const auto given = at.find("cooperative")) launch.cooperative = given->boolean();
    std::vector<std::string> known;
    std::set<std::string> seen;
    bool has_unread = false;
    for (const auto& file : launch.kernel.files) {
      for (const std::string& entry : file->entries())
        if (seen.insert(entry).second) known.push_back(entry);
      has_unread = has_unread || file->has_unread;
    }
    if (const auto entry = at.find("entry")) {
      launch.kernel.entry = entry->text();
      if (!has_unread && !seen.contains(launch.kernel.entry))
        entry->refuse(no_such("kernel", launch.kernel.entry, known));
    } else if (known.size() == 1 && !has_unread) {
      launch.kernel.entry = known.front();
    } else {
      at.refuse("expected a key 'entry': the code may hold several kernels");
    }
  }

  void take_triton(const json_place& at, wrapped_launch& launch) {
    for (const char* key :
         {"code", "entry", "block", "dynamic_shared_bytes", "cluster_blocks", "cooperative"})
      if (const auto given = at.find(key)) given->refuse("expected none: Triton's file says it");
    const json_place given = at.at("triton");
    const fs::path path = file_at(given);
    const triton_kernel kernel = read_triton(path);
    hashes_ += hash_of_text(reports::read_text_file(path));
    launch.kernel.files.push_back(kept(kernel.code));
    launch.kernel.entry = kernel.entry;
    launch.block = {expression::constant(kernel.threads)};
    launch.dynamic_shared_bytes = expression::constant(kernel.shared_bytes);
    launch.cluster_blocks = static_cast<unsigned>(kernel.cluster_blocks);
    launch.grid_counts_clusters = true;
    launch.cooperative = kernel.cooperative;
    const std::vector<code_kernel>& kernels = launch.kernel.files.front()->kernels;
    const auto code = std::ranges::find(kernels, kernel.entry, &code_kernel::entry);
    if (code == kernels.end())
      given.refuse(fmt::format("{} has no kernel '{}'", kernel.code.string(), kernel.entry));
    if (append_scratch(launch.arguments, code->parameter_bytes) && kernel.global_scratch_bytes > 0)
      given.refuse(
          fmt::format("the kernel takes {} bytes of scratch memory a block; expected an array for it "
                      "behind the other arguments",
                      kernel.global_scratch_bytes));
  }

  /// Triton's launcher passes the addresses of up to two pieces of scratch memory behind the user's
  /// arguments, null where a kernel needs none. Whether there are any.
  static bool append_scratch(std::vector<argument>& to, const std::vector<std::size_t>& parameter_bytes) {
    constexpr std::size_t most = 2;
    const std::size_t given = to.size();
    if (parameter_bytes.size() <= given || parameter_bytes.size() > given + most) return false;
    for (std::size_t i = given; i < parameter_bytes.size(); ++i)
      if (parameter_bytes[i] != sizeof(void*)) return false;
    to.resize(parameter_bytes.size());
    return true;
  }

  /// A file that the JSON names.
  fs::path file_at(const json_place& at) const {
    const fs::path path = folder_ / at.text();
    std::error_code error;
    if (!fs::exists(path, error)) at.refuse(fmt::format("expected a file; there is no {}", path.string()));
    if (fs::is_directory(path, error))
      at.refuse(fmt::format("expected a file; {} is a directory", path.string()));
    return path;
  }

  std::shared_ptr<const kernel_code> code_at(const json_place& at) { return kept(file_at(at)); }

  /// Each file is read once, whatever many variants name it.
  std::shared_ptr<const kernel_code> kept(const fs::path& path) {
    std::shared_ptr<const kernel_code>& code = files_[path.lexically_normal().string()];
    if (!code) {
      code = std::make_shared<const kernel_code>(read_kernel_code(path));
      hashes_ += hash_of_text(code->bytes);
    }
    return code;
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

  fs::path path_, folder_;
  std::string text_, file_, hashes_;
  bool has_code_;
  std::vector<std::string> integers_;  ///< axes of integers
  std::vector<array_entry> arrays_;
  std::map<std::string, std::size_t> places_of_arrays_;
  std::set<std::string> axis_names_, variant_names_;
  std::map<std::string, std::shared_ptr<const kernel_code>> files_;
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
