// Which kernel a layer's attention among all rows is.
// Switch: `core`, mma.sync or warpgroup MMAs.
#include "kernels/global_attention/forms.h"

#include "kernels/compression_attention/launches.h"

namespace ablate::global_attention {

compression_form dense_form_of(const switches& s) {
  return s.word("core") == "hopper" ? compression_attention::hopper_attention_only
                                    : compression_attention::attention_only;
}

}  // namespace ablate::global_attention
