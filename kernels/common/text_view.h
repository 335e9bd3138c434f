#pragma once

#include <cstddef>
#include <type_traits>

namespace ablate {

/// Characters that are elsewhere: std::string_view for what `.cu` files include, since nvcc reads
/// <string_view> and <string> again for the host and for each architecture. Becomes either of them where one
/// is expected.
class text_view {
 public:
  constexpr text_view(const char* text) : data_(text) {
    while (text[size_] != '\0') ++size_;
  }
  template <class Text>
  requires std::is_same_v<typename Text::value_type, typename Text::traits_type::char_type>
  constexpr text_view(const Text& text) : data_(text.data()), size_(text.size()) {}
  template <class Text>
  requires std::is_same_v<typename Text::traits_type::char_type, char>
  constexpr operator Text() const { return Text(data_, size_); }

  constexpr const char* data() const { return data_; }
  constexpr std::size_t size() const { return size_; }
  constexpr bool starts_with(text_view head) const {
    if (head.size_ > size_) return false;
    for (std::size_t i = 0; i < head.size_; ++i)
      if (data_[i] != head.data_[i]) return false;
    return true;
  }
  friend constexpr bool operator==(text_view a, text_view b) {
    return a.size_ == b.size_ && a.starts_with(b);
  }

 private:
  const char* data_;
  std::size_t size_ = 0;
};

}  // namespace ablate
