#include "harness/wrapped/add_plugin.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
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

/// A case as a plugin sees it.
class plugin_case {
 public:
  explicit plugin_case(const spans& of) : held_(of) {
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

  ablate_case view() const {
    return {axis_names_.size(),  axis_names_.data(), axis_values_.data(), array_names_.size(),
            array_names_.data(), elements_.data(),   addresses_.data()};
  }

 private:
  spans held_;
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

std::function<std::function<void(launcher&)>(const spans&)> bound_to(ablate_launch launch, std::string name) {
  return [launch, name = std::move(name)](const spans& arrays) {
    return [launch, name, of = std::make_shared<const plugin_case>(arrays)](launcher& to) {
      find_launch_backend()->call(to, name.c_str(), [&](void* stream) {
        const ablate_case view = of->view();
        called(name, [&](char* why, std::size_t bytes) { return launch(&view, stream, why, bytes); });
      });
    };
  };
}

void add_operation(const ablate_operation& given, const std::filesystem::path& path, const std::string& hash,
                   std::vector<std::string>& names) {
  const auto refuse = [&](const std::string& expected) { throw bad_input(path.string(), "", expected); };
  if (!given.description) refuse("expected a description of every operation");
  array_definition of = read_plugin_operation(given.description, path);
  if (find_operation(of.name))
    refuse(fmt::format("this program has an operation '{}' already; expected another name", of.name));
  if (given.launch_count != of.variants.size() || (given.launch_count > 0 && !given.launches))
    refuse(fmt::format("operation '{}' has {} variants and {} launches; expected one for each", of.name,
                       of.variants.size(), given.launch_count));
  for (std::size_t i = 0; i < of.variants.size(); ++i) {
    array_variant& v = of.variants[i];
    if (!given.launches[i]) refuse(fmt::format("variant '{}' of '{}' has no launch", v.facts.name, of.name));
    v.facts.has_launch = find_launch_backend() != nullptr;
    v.bind = bound_to(given.launches[i], of.name + "/" + v.facts.name);
  }
  if (given.reference)
    of.reference = [reference = given.reference, name = of.name](const spans& arrays) {
      const plugin_case on_host(arrays);
      const ablate_case view = on_host.view();
      called("the reference of " + name,
             [&](char* why, std::size_t bytes) { return reference(&view, why, bytes); });
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
  const char* const said = dlerror();
  const std::string error = said ? said : "";
  dlerror();
  return error;
}

}  // namespace

std::vector<std::string> add_plugin(const std::filesystem::path& path) {
  const std::string bytes = reports::read_text_file(path);
  void* const opened = dlopen(std::filesystem::absolute(path).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!opened)
    throw bad_input(path.string(), "",
                    fmt::format("expected a plugin; it cannot be opened: {}", loader_error()));
  const auto table_of = reinterpret_cast<decltype(&ablate_plugin_v1)>(dlsym(opened, "ablate_plugin_v1"));
  if (!table_of)
    throw bad_input(path.string(), "",
                    fmt::format("expected a plugin: a function ablate_plugin_v1; {}", loader_error()));
  const ablate_plugin* const table = table_of();
  if (!table || (table->operation_count > 0 && !table->operations))
    throw bad_input(path.string(), "", "expected a table of operations from ablate_plugin_v1");
  std::vector<std::string> names;
  for (std::size_t i = 0; i < table->operation_count; ++i)
    add_operation(table->operations[i], path, hash_hex(bytes.data(), bytes.size()), names);
  return names;
}

}  // namespace ablate::wrapped
