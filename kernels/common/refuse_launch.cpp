#include "kernels/common/refuse_launch.h"

#include <string>

#include "kernels/common/launch_error.h"
#include "kernels/common/unsupported.h"

namespace ablate {

namespace {

std::string joined(std::initializer_list<message_part> parts) {
  std::string message;
  for (const message_part& part : parts)
    message += part.is_number ? std::to_string(part.number) : std::string(part.text);
  return message;
}

}  // namespace

void refuse_launch(std::initializer_list<message_part> message) { throw launch_error(joined(message)); }

void refuse_as_unsupported(std::initializer_list<message_part> message) {
  throw unsupported(joined(message));
}

}  // namespace ablate
