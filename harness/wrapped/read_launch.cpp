#include "harness/wrapped/read_launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <set>

#include "base/text/names.h"
#include "base/text/text_file.h"
#include "harness/inputs/input_library.h"
#include "harness/wrapped/json_values.h"
#include "harness/wrapped/triton.h"

namespace ablate::wrapped {

namespace {

/// The kernel must accept the arguments, as far as its code declares its parameters.
void require_parameters(const json_place& at, const wrapped_launch& launch) {
  std::vector<argument_facts> given;
  for (const argument& one : launch.arguments) given.push_back(one.facts);
  for (const auto& file : launch.kernel.files)
    for (const code_kernel& kernel : file->kernels)
      if (kernel.entry == launch.kernel.entry)
        if (const auto why = mismatch(kernel.parameter_bytes, given))
          at.refuse(fmt::format("kernel '{}' of {}: {}", kernel.entry, file->path.string(), *why));
}

/// The values of those that name no axis.
std::vector<std::int64_t> constants(const std::vector<expression>& of) {
  std::vector<std::int64_t> out;
  for (const expression& one : of)
    if (one.is_constant()) out.push_back(one.at({}));
  return out;
}

argument argument_at(const json_place& at, const file_scope& in) {
  argument out;
  if (at.is_null()) return out;
  const auto members = at.members();
  if (members.size() != 1) at.refuse("expected null, {\"array\": NAME} or {TYPE: VALUE}");
  const auto& [key, value] = members.front();
  if (key == "array") {
    const std::string name = value.text();
    const auto found = in.array_places.find(name);
    if (found == in.array_places.end()) {
      std::vector<std::string> known;
      for (const array_entry& a : in.arrays) known.push_back(a.name);
      value.refuse(no_such("array", name, known));
    }
    out.kind = argument_kind::array;
    out.array = found->second;
    out.facts = {fmt::format("array '{}'", name), sizeof(void*)};
    return out;
  }
  const element_type* const type = find_element_type(key);
  if (!type) at.refuse(fmt::format("no type '{}'; expected array, {}", key, element_type_names()));
  out.type = type;
  out.facts = {fmt::format("{} {}", key, value.json().dump()), type->bytes};
  if (type->is_real && value.json().is_number()) {
    out.kind = argument_kind::real;
    out.real = value.number();
  } else {
    out.kind = argument_kind::integer;
    out.integer = expression_at(value, in.integer_axes);
  }
  return out;
}

std::vector<expression> extents_at(const json_place& at, const std::vector<std::string>& axes) {
  if (!at.json().is_array()) return {expression_at(at, axes)};
  std::vector<expression> out;
  for (const json_place& one : at.at_least_one("extent")) out.push_back(expression_at(one, axes));
  if (out.size() > 3) at.refuse("expected x, y and z at most");
  return out;
}

void take_code(const json_place& at, const file_scope& in, code_files& files, wrapped_launch& launch) {
  const json_place code = at.at("code");
  code.one_or_more([&](const json_place& one) {
    launch.kernel.files.push_back(files.at(file_at(one, in.folder)));
    return one.text();
  });
  launch.block = extents_at(at.at("block"), in.integer_axes);
  const std::vector<std::int64_t> threads = constants(launch.block);
  if (const auto why = why_no_block(threads)) at.at("block").refuse(*why);
  if (const auto given = at.find("dynamic_shared_bytes")) {
    launch.dynamic_shared_bytes = expression_at(*given, in.integer_axes);
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

/// Triton's launcher passes the addresses of up to two pieces of scratch memory after the user's
/// arguments, null where a kernel needs none. Whether there are any.
bool append_scratch(std::vector<argument>& to, const std::vector<std::size_t>& parameter_bytes) {
  constexpr std::size_t most = 2;
  const std::size_t given = to.size();
  if (parameter_bytes.size() <= given || parameter_bytes.size() > given + most) return false;
  for (std::size_t i = given; i < parameter_bytes.size(); ++i)
    if (parameter_bytes[i] != sizeof(void*)) return false;
  to.resize(parameter_bytes.size());
  return true;
}

void take_triton(const json_place& at, const file_scope& in, code_files& files, wrapped_launch& launch) {
  for (const char* key : {"code", "entry", "block", "dynamic_shared_bytes", "cluster_blocks", "cooperative"})
    if (const auto given = at.find(key)) given->refuse("expected none: Triton's file says it");
  const json_place given = at.at("triton");
  const std::filesystem::path path = file_at(given, in.folder);
  const triton_kernel kernel = read_triton(path);
  files.add_to_hash(reports::read_text_file(path));
  launch.kernel.files.push_back(files.at(kernel.code));
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
        fmt::format("the kernel needs {} bytes of scratch memory per block; expected an array for it after "
                    "the other arguments",
                    kernel.global_scratch_bytes));
}

}  // namespace

std::shared_ptr<const kernel_code> code_files::at(const std::filesystem::path& path) {
  std::shared_ptr<const kernel_code>& code = files_[path.lexically_normal().string()];
  if (!code) {
    code = std::make_shared<const kernel_code>(read_kernel_code(path));
    add_to_hash(code->bytes);
  }
  return code;
}

void code_files::add_to_hash(const std::string& text) { hashes_ += hash_hex(text.data(), text.size()); }

std::string code_files::hash() const { return hash_hex(hashes_.data(), hashes_.size()); }

wrapped_launch read_launch(const json_place& at, const file_scope& in, code_files& files) {
  wrapped_launch launch;
  for (const json_place& one : at.at("arguments").elements())
    launch.arguments.push_back(argument_at(one, in));
  if (at.find("triton"))
    take_triton(at, in, files, launch);
  else
    take_code(at, in, files, launch);
  require_parameters(at.at("arguments"), launch);
  launch.grid = extents_at(at.at("grid"), in.integer_axes);
  if (const auto blocks = constants(launch.grid); std::ranges::any_of(blocks, [](auto n) { return n < 1; }))
    at.at("grid").refuse_value("1 block or more");
  return launch;
}

int least_capability(const wrapped_launch& launch) {
  int least = 1000;
  for (const auto& file : launch.kernel.files)
    least = std::min(least, std::max(80, file->least_capability()));
  return least;
}

}  // namespace ablate::wrapped
