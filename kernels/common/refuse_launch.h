#pragma once

#include <concepts>
#include <initializer_list>

#include "kernels/common/text_view.h"

namespace ablate {

/// A part of a message: characters or an integer.
struct message_part {
  text_view text = "";
  long long number = 0;
  bool is_number = false;

  message_part(const char* words) : text(words) {}
  message_part(text_view words) : text(words) {}
  message_part(std::integral auto value) : number(static_cast<long long>(value)), is_number(true) {}
};

/// Throws launch_error with the joined parts. Replaces `throw`, since <stdexcept> and <string> dominate
/// nvcc's time for a small `.cu` file.
[[noreturn]] void refuse_launch(std::initializer_list<message_part>);
/// Throws unsupported: what a launch needs and this machine lacks.
[[noreturn]] void refuse_as_unsupported(std::initializer_list<message_part>);

}  // namespace ablate
