#pragma once

#include "kernels/network/problem.h"

namespace ablate::backbone {

/// A whole forward pass of a point cloud backbone, or of one of its blocks (docs/operations/backbone.md). A
/// problem is a network, whose steps are launched in order on one stream, and the memory that they need.
///
/// Flash3D: points into bucket order; which rows every level pools; embedding of the coordinates; at each
/// level blocks x += Proj(attention(QKV(LN x))), x += fc2(SiLU(G) ⊙ U), (G, U) = fc1(LN x), or as PTv3's;
/// between levels a projection, which the decoder adds to again, mean of two neighbors in a bucket, batch
/// norm, GELU. Padding takes part in attention, as published: its rows are those of a point at the origin at
/// the first level, 0 where pooling and unpooling write them.
///
/// PTv3: codes of the voxels on four curves; a convolution of the features; at each level blocks x +=
/// LN(linear(convolution(x))), x += Proj(attention(QKV(LN x))) in windows along one of the curves, x +=
/// fc2(GELU(fc1(LN x))); between levels a projection, the maximum over the voxels of a cell twice as large,
/// batch norm, GELU; the decoder adds what stood before the projection. Windows are whole: the last one of an
/// instance takes rows of the one before along, as published.
///
/// Between the two: PTv3 on rows in Flash3D's bucket order, which windows take as they are, past the last
/// one's padding, 0 where the stem ends and where rows are pooled; and with Flash3D's pools.
///
/// Output: the rows of the first level's decoder, in the points' order.
///
/// Training: the pass, and from the gradient of its output those of all parameters, in fp32, and of a block's
/// rows. What gradients need stays in the arena: of a block its input, Q, K and V, attention's rows and
/// log-sum-exp, the rows between attention and MLP, the MLP's first layer, 28 bytes a channel and row; norms
/// and activations are computed again. PTv3 keeps Q, K and V where windows take them, beside what its
/// convolutions, their layers and norms, and its maxima read. Paths may be dropped (drop_path.h).

/// Times that the published code waits for the device before a step, on one instance; and in all. In buckets:
/// four for the order (two means, a greatest, the probes), one a block for its windows, two a pool. PTv3:
/// four for the codes (numbers of instances, the greatest cell, two constants of the Hilbert code); one for
/// the stem; at each level one for the extent of its convolutions and 22 for its windows (three for a new
/// sequence of the orders, the batch's size, 18 for padding); three a pool (the unique codes, and twice the
/// points of each).
int published_waits_of(const network&, const step&);
int published_waits(const network&);

}  // namespace ablate::backbone
