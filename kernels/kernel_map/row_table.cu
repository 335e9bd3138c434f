// The row table used by most variants, compiled once for all drivers.
#include "kernels/kernel_map/row_table.cuh"

namespace ablate::kernel_map {

template void build_rows<packed_rows>(launcher&, const problem&);

}  // namespace ablate::kernel_map
