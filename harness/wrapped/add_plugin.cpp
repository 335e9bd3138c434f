#include "harness/wrapped/add_plugin.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <stdexcept>
#include <utility>

#include "base/text/bad_input.h"
#include "base/text/text_file.h"
#include "harness/inputs/input_library.h"
#include "harness/plugin.h"
#include "harness/registry/outside_code.h"
#include "harness/wrapped/bind_launch.h"

namespace ablate::wrapped {

namespace {

enum class plugin_version { first, second };

/// The structs of version 1 have no sizes, and else the fields of the first header of version 2.
struct operation_of_version_1 {
  const char* description;
  ablate_reference reference;
  const ablate_launch* launches;
  std::size_t launch_count;
};
struct plugin_of_version_1 {
  const operation_of_version_1* operations;
  std::size_t operation_count;
};

/// What the structs of the first header of version 2 had. Later ones may have more, never less.
constexpr std::size_t first_plugin_bytes = offsetof(ablate_plugin, operation_count) + sizeof(std::size_t),
                      first_operation_bytes = offsetof(ablate_operation, launch_count) + sizeof(std::size_t);

/// A case as a plugin sees it.
class plugin_case {
 public:
  plugin_case(const spans& of, plugin_version version) : held_(of), version_(version) {
    for (const auto& [name, value] : held_.axes()) {
      axis_names_.push_back(name.c_str());
      axis_values_.push_back(value.c_str());
    }
    for (std::size_t i = 0; i < held_.arrays().size(); ++i) {
      array_names_.push_back(held_.arrays()[i].name.c_str());
      elements_.push_back(held_.arrays()[i].count);
      addresses_.push_back(held_.address(i));
    }
  }
  plugin_case(const plugin_case&) = delete;
  plugin_case& operator=(const plugin_case&) = delete;

  /// `call(case)` with the case as the plugin's header has it: in version 1 it begins after its size.
  template <class Call>
  int with_view(const Call& call) const {
    const ablate_case view = {sizeof(ablate_case), axis_names_.size(),  axis_names_.data(),
                              axis_values_.data(), array_names_.size(), array_names_.data(),
                              elements_.data(),    addresses_.data()};
    return call(version_ == plugin_version::first ? reinterpret_cast<const ablate_case*>(&view.axis_count)
                                                  : &view);
  }

 private:
  spans held_;
  plugin_version version_;
  std::vector<const char*> axis_names_, axis_values_, array_names_;
  std::vector<std::int64_t> elements_;
  std::vector<void*> addresses_;
};

/// Calls a plugin's function, given where to say why it failed. Throws std::runtime_error with that.
template <class Call>
void called(const std::string& what, Call&& call) {
  char why[512] = "";
  const int status = call(why, sizeof why);
  why[sizeof why - 1] = '\0';
  if (status != 0)
    throw std::runtime_error(fmt::format("{} returned {}{}{}", what, status, why[0] ? ": " : "", why));
}

std::function<std::function<void(launcher&)>(const spans&)> bound_to(ablate_launch launch,
                                                                     plugin_version version,
                                                                     std::string name) {
  return [launch, version, name = std::move(name)](const spans& arrays) {
    return [launch, name, of = std::make_shared<const plugin_case>(arrays, version)](launcher& to) {
      find_launch_backend()->call(to, name.c_str(), [&](void* stream) {
        called(name, [&](char* why, std::size_t bytes) {
          return of->with_view([&](const ablate_case* view) { return launch(view, stream, why, bytes); });
        });
      });
    };
  };
}

void add_operation(const ablate_operation& given, plugin_version version, const std::filesystem::path& path,
                   const std::string& hash, std::vector<std::string>& names) {
  const auto refuse = [&](const std::string& expected) { throw bad_input(path.string(), "", expected); };
  if (!given.description) refuse("expected a description of every operation");
  array_definition of = read_plugin_operation(given.description, path);
  if (find_operation(of.name))
    refuse(fmt::format("this program already has an operation '{}'; expected another name", of.name));
  if (given.launch_count != of.variants.size() || (given.launch_count > 0 && !given.launches))
    refuse(fmt::format("operation '{}' has {} variants and {} launches; expected one for each", of.name,
                       of.variants.size(), given.launch_count));
  for (std::size_t i = 0; i < of.variants.size(); ++i) {
    array_variant& v = of.variants[i];
    if (!given.launches[i]) refuse(fmt::format("variant '{}' of '{}' has no launch", v.facts.name, of.name));
    v.facts.has_launch = find_launch_backend() != nullptr;
    v.bind = bound_to(given.launches[i], version, of.name + "/" + v.facts.name);
  }
  if (given.reference)
    of.reference = [reference = given.reference, version, name = of.name](const spans& arrays) {
      const plugin_case on_host(arrays, version);
      called("the reference of " + name, [&](char* why, std::size_t bytes) {
        return on_host.with_view([&](const ablate_case* view) { return reference(view, why, bytes); });
      });
    };
  const std::string name = of.name;
  try {
    define_arrays(std::move(of));
  } catch (const std::logic_error& why) {
    refuse(why.what());
  }
  register_outside_code(name, {path.string(), hash});
  names.push_back(name);
}

/// What the dynamic loader refused last. It keeps the text of an error that was read until it is asked again.
std::string loader_error() {
  const char* const text = dlerror();
  const std::string error = text ? text : "";
  dlerror();
  return error;
}

[[noreturn]] void refuse_table(const std::filesystem::path& path, const char* version) {
  throw bad_input(path.string(), "", fmt::format("expected a table of operations from {}", version));
}

std::vector<ablate_operation> operations_of(const plugin_of_version_1* table,
                                            const std::filesystem::path& path) {
  if (!table || (table->operation_count > 0 && !table->operations)) refuse_table(path, "ablate_plugin_v1");
  std::vector<ablate_operation> out;
  for (const operation_of_version_1& one : std::span(table->operations, table->operation_count))
    out.push_back({sizeof(ablate_operation), one.description, one.reference, one.launches, one.launch_count});
  return out;
}

/// A struct of a plugin, whose size it begins with. Fields that its header had not are null.
template <class Struct>
Struct sized(const void* at, const char* name, std::size_t fewest, const std::filesystem::path& path) {
  std::size_t bytes = 0;
  std::memcpy(&bytes, at, sizeof bytes);
  if (bytes > sizeof(Struct))
    throw bad_input(
        path.string(), "",
        fmt::format("was compiled with a newer <ablate/plugin.h>: its {} has {} bytes, this program knows "
                    "{}; compile it with this program's header, or use a newer Ablate",
                    name, bytes, sizeof(Struct)));
  if (bytes < fewest)
    throw bad_input(path.string(), "",
                    fmt::format("its {0} claims {1} bytes, but has had at least {2} since version 2 of "
                                "<ablate/plugin.h>; expected struct_bytes = sizeof({0})",
                                name, bytes, fewest));
  Struct out = {};
  std::memcpy(&out, at, bytes);
  return out;
}

std::vector<ablate_operation> operations_of(const ablate_plugin* given, const std::filesystem::path& path) {
  if (!given) refuse_table(path, "ablate_plugin_v2");
  const auto table = sized<ablate_plugin>(given, "ablate_plugin", first_plugin_bytes, path);
  if (table.operation_count > 0 && !table.operations) refuse_table(path, "ablate_plugin_v2");
  std::vector<ablate_operation> out;
  const auto* at = reinterpret_cast<const std::byte*>(table.operations);
  for (std::size_t i = 0; i < table.operation_count; ++i) {
    out.push_back(sized<ablate_operation>(at, "ablate_operation", first_operation_bytes, path));
    if (out.back().struct_bytes != out.front().struct_bytes)
      throw bad_input(path.string(), "", "expected the same struct_bytes in all operations of a table");
    at += out.back().struct_bytes;
  }
  return out;
}

}  // namespace

std::vector<std::string> add_plugin(const std::filesystem::path& path) {
  const std::string bytes = reports::read_text_file(path);
  void* const opened = dlopen(std::filesystem::absolute(path).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!opened)
    throw bad_input(path.string(), "",
                    fmt::format("expected a plugin; it cannot be opened: {}", loader_error()));
  auto version = plugin_version::second;
  std::vector<ablate_operation> operations;
  if (void* const second = dlsym(opened, "ablate_plugin_v2")) {
    operations = operations_of(reinterpret_cast<decltype(&ablate_plugin_v2)>(second)(), path);
  } else {
    const std::string missing = loader_error();
    void* const first = dlsym(opened, "ablate_plugin_v1");
    if (!first) {
      loader_error();  // the loader would keep the text of this one
      throw bad_input(path.string(), "",
                      fmt::format("expected a plugin: a function ablate_plugin_v2; {}", missing));
    }
    version = plugin_version::first;
    operations = operations_of(reinterpret_cast<const plugin_of_version_1* (*)()>(first)(), path);
  }
  std::vector<std::string> names;
  for (const ablate_operation& one : operations)
    add_operation(one, version, path, hash_hex(bytes.data(), bytes.size()), names);
  return names;
}

}  // namespace ablate::wrapped
