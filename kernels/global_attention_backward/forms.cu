// Which dense backward pass a layer's is.
// Switch: `core`, mma.sync or warpgroup MMAs.
#include "kernels/global_attention_backward/forms.h"

#include "kernels/compression_attention_backward/launches.h"

namespace ablate::global_attention_backward {

void differentiate_rows(launcher& to, const compression_attention_backward::problem& rows,
                        const switches& s) {
  compression_attention_backward::differentiate(to, rows, s);
}

}  // namespace ablate::global_attention_backward
