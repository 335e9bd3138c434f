#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace ablate {

/// Values of a JSON file that a person wrote. What is not as expected is refused: bad_input with the file and
/// the place.
class written_values {
 public:
  explicit written_values(std::string file) : file_(std::move(file)) {}

  /// A value and where it stands. Refers to the document.
  struct node {
    const nlohmann::ordered_json& value;
    std::string pointer;

    node child(const std::string& key) const;
    node child(std::size_t index) const;
    bool has(const std::string& key) const { return value.contains(key); }
  };

  const std::string& file() const { return file_; }

  /// "FILE: PLACE: EXPECTED", and "FILE: PLACE: is VALUE; expected EXPECTED".
  [[noreturn]] void refuse(const node&, const std::string& expected) const;
  [[noreturn]] void refuse_type(const node&, const std::string& expected) const;

  /// An object of `known` keys that has all of the `required` ones.
  void require_object(const node&, const std::vector<std::string>& known,
                      const std::vector<std::string>& required) const;
  void require_filled_array(const node&, const std::string& of_what) const;

  std::string string(const node&) const;
  bool boolean(const node&) const;
  /// A word that can stand in a case id.
  std::string id_word(const node&) const;
  void require_id_word(const node&, const std::string& text) const;
  std::int64_t integer(const node&, std::int64_t minimum, std::int64_t maximum) const;
  double positive(const node&, double maximum, const std::string& unit) const;

  /// One value or an array of them, each once.
  std::vector<std::string> one_or_more(const node&,
                                       const std::function<std::string(const node&)>& read) const;

 private:
  std::string file_;
};

}  // namespace ablate
