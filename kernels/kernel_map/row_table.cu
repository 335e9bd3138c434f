// The table of the rows that most variants look rows up in: built once, whatever the driver.
#include "kernels/kernel_map/row_table.cuh"

namespace ablate::kernel_map {

template void build_rows<packed_rows>(launcher&, const problem&);

}  // namespace ablate::kernel_map
