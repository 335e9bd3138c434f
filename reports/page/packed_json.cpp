#include "reports/page/packed_json.h"

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ablate::reports {
namespace {

using nlohmann::ordered_json;

// A reference to a shared value is about as long.
constexpr std::size_t shortest_shared = 12;

ordered_json reference(std::size_t index) { return {{"", index}}; }

bool is_reference(const ordered_json& form) { return form.is_object(); }

std::size_t index_of(const ordered_json& reference) { return reference.begin().value().get<std::size_t>(); }

/// Equal parts of a value become one node, so that duplicates are found.
class packer {
 public:
  ordered_json packed(const ordered_json& value) {
    const ordered_json root = form_of(value);
    if (is_reference(root)) ++nodes_[index_of(root)].uses;
    ordered_json out = written(root);  // fills shared_
    return {{"keys", keys_}, {"shared", shared_}, {"value", std::move(out)}};
  }

 private:
  struct node {
    ordered_json form;  ///< a text or an array of forms
    std::size_t uses = 0;
    ordered_json::size_type shared_at = 0;
    bool is_shared = false;
  };

  /// A number, a word too short to be shared, or a reference to a node.
  ordered_json form_of(const ordered_json& value) {
    if (value.is_string() && value.get_ref<const std::string&>().size() + 2 > shortest_shared)
      return node_of(value);
    if (!value.is_structured()) return value;
    ordered_json row = ordered_json::array();
    row.push_back(value.is_array() ? ordered_json(-1) : ordered_json(keys_of(value)));
    for (const ordered_json& inner : value) row.push_back(form_of(inner));
    return node_of(std::move(row));
  }

  std::size_t keys_of(const ordered_json& object) {
    ordered_json names = ordered_json::array();
    for (const auto& [name, inner] : object.items()) names.push_back(name);
    const auto [found, is_new] = known_keys_.emplace(names.dump(), keys_.size());
    if (is_new) keys_.push_back(std::move(names));
    return found->second;
  }

  ordered_json node_of(ordered_json form) {
    const auto [found, is_new] = known_nodes_.emplace(form.dump(), nodes_.size());
    if (is_new) {
      for (const ordered_json& part : form.is_array() ? form : ordered_json::array())
        if (is_reference(part)) ++nodes_[index_of(part)].uses;
      nodes_.push_back({std::move(form)});
    }
    return reference(found->second);
  }

  ordered_json written(const ordered_json& form) {
    if (!is_reference(form)) return form;
    const std::size_t at = index_of(form);
    if (nodes_[at].is_shared) return reference(nodes_[at].shared_at);
    ordered_json out = nodes_[at].form;
    if (out.is_array())
      for (ordered_json& part : out) part = written(part);
    if (nodes_[at].uses < 2 || out.dump().size() < shortest_shared) return out;
    nodes_[at].is_shared = true;
    nodes_[at].shared_at = shared_.size();
    shared_.push_back(std::move(out));
    return reference(nodes_[at].shared_at);
  }

  std::vector<node> nodes_;
  std::unordered_map<std::string, std::size_t> known_nodes_, known_keys_;
  ordered_json keys_ = ordered_json::array(), shared_ = ordered_json::array();
};

ordered_json unpacked_part(const ordered_json& all, const ordered_json& part) {
  if (is_reference(part)) return unpacked_part(all, all["shared"][index_of(part)]);
  if (!part.is_array()) return part;
  const bool is_array = part[0] == -1;
  ordered_json out = is_array ? ordered_json::array() : ordered_json::object();
  for (std::size_t i = 1; i < part.size(); ++i) {
    ordered_json inner = unpacked_part(all, part[i]);
    if (is_array)
      out.push_back(std::move(inner));
    else
      out[all["keys"][part[0].get<std::size_t>()][i - 1].get<std::string>()] = std::move(inner);
  }
  return out;
}

}  // namespace

ordered_json packed(const ordered_json& value) { return packer().packed(value); }

ordered_json unpacked(const ordered_json& packed) { return unpacked_part(packed, packed["value"]); }

}  // namespace ablate::reports
