"""Pooling within buckets as a user writes it in PyTorch (specification: backbone §1, flash3d §4.1), and what its index is
held to. Blocks of 1024 consecutive rows are rows of a tensor, so boxes are amin and amax over a dimension; a row's key is its cell
along the Morton curve of the block's box with its place behind it, one sort of all blocks' keys at once gives the members,
and clusters are the runs of `ratio` members: a reshape and a mean. What follows from the number of points alone (places, sizes,
the clusters' starts) is made before anything is timed. Nothing waits for the device.
"""
from pool_rows_torch import Pooling, Wrong, worst_of

BLOCK = 1024
LEVELS = 65535  # of an axis of a block's box
CELL_BITS = 13


def z_key(x, y, z):
    """y15 x15 z14 y14 x14 … y10 of levels of 16 bits, integers: 16 bits of their Morton code, as published."""
    def spread(bits):
        """Six bits abcdef: a00b00c00d00e00f."""
        bits = (bits | bits << 8) & 0x300f
        bits = (bits | bits << 4) & 0x30c3
        return (bits | bits << 2) & 0x9249

    return spread(y >> 10) | spread(z >> 10 & 31) << 1 | spread(x >> 11) << 2


def levels_in_box(coordinates, low, high):
    """The levels of x, y and z, as integers, of fp32 coordinates in a box."""
    # Divided in double and rounded once: the fp32 quotient, whatever a compiler makes of a division.
    extent = (high - low).double()
    scale = (LEVELS / extent).masked_fill(extent == 0, 0).float()
    return ((coordinates - low) * scale).floor().clamp(0, LEVELS - 1).int().unbind(-1)


class BucketIndex:
    """Of so many points in bucket order: their clusters of `ratio`."""

    def __init__(self, torch, points, ratio, device):
        self.torch, self.points, self.ratio = torch, points, ratio
        self.blocks = -(-points // BLOCK)
        of_block = -(-BLOCK // ratio)
        lanes = torch.arange(BLOCK, device=device, dtype=torch.int32)
        rows = torch.arange(self.blocks * BLOCK, device=device)
        self.lane, self.first = lanes[None, :], (rows[::BLOCK])[:, None]
        # Lanes past the last row repeat it: its block keeps its box, and they are sorted after all others.
        self.padded = rows.clamp_max(points - 1) if points % BLOCK else None
        self.behind = (rows >= points).view(-1, BLOCK)
        place = rows[:points]
        self.cluster_of_place = place // BLOCK * of_block + place % BLOCK // ratio
        self.clusters = points // BLOCK * of_block + -(-(points % BLOCK) // ratio)
        j = torch.arange(self.clusters, device=device)
        begin = j // of_block * BLOCK + j % of_block * ratio
        self.start = torch.cat([begin, begin.new_full((1,), points)])
        self.size = self.start[1:] - begin
        slot = torch.arange(ratio, device=device)
        # A cluster's missing slots repeat its first place; a sum leaves them out.
        self.has_slot = slot < self.size[:, None]
        self.place = torch.where(self.has_slot, begin[:, None] + slot, begin[:, None])
        self.is_full = bool(self.has_slot.all())

    def cells(self, coordinates):
        """Of [blocks][BLOCK][3]: each row's cell in its block's box, along the Morton curve."""
        low, high = coordinates.amin(1, keepdim=True), coordinates.amax(1, keepdim=True)
        return z_key(*levels_in_box(coordinates, low, high)) >> 16 - CELL_BITS

    def index(self, coordinates):
        """Of fp16 [points][3]: start, member, cluster, and the clusters' coordinates."""
        coordinates = coordinates.float()
        in_blocks = coordinates if self.padded is None else coordinates[self.padded]
        key = self.cells(in_blocks.view(self.blocks, BLOCK, 3)) * BLOCK + self.lane
        if self.padded is not None:
            key = key.masked_fill(self.behind, 1 << CELL_BITS + 10)
        lanes = self.torch.sort(key, dim=1).values & BLOCK - 1
        member = (lanes + self.first).view(-1)[:self.points]
        cluster = self.torch.empty_like(member).scatter_(0, member, self.cluster_of_place)
        position = self.mean_of_runs(coordinates, member).half()
        return {"start": self.start.clone(), "member": member, "cluster": cluster, "position": position}

    def runs(self, values, member):
        """[clusters][ratio][…] of fp32; slots that a cluster lacks repeat its first."""
        at = member.view(self.clusters, self.ratio) if self.is_full else member[self.place]
        return values[at].float()

    def sum_of_runs(self, values, member):
        rows = self.runs(values, member)
        return rows.sum(1) if self.is_full else rows.masked_fill(~self.has_slot[:, :, None], 0).sum(1)

    def mean_of_runs(self, values, member):
        if self.is_full:
            return self.runs(values, member).mean(1)
        return self.sum_of_runs(values, member) / self.size[:, None]

    # What is compared.

    def exact(self, coordinates):
        """Block by block, the key bit by bit, by a stable sort."""
        torch, members, clusters, first_cluster = self.torch, [], [], 0
        for first in range(0, self.points, BLOCK):
            rows = coordinates[first:first + BLOCK].float()
            low, high = rows.min(0).values, rows.max(0).values
            scale = torch.where(high > low, LEVELS / (high - low), torch.zeros_like(low))
            level = torch.floor((rows - low) * scale).clamp(0, LEVELS - 1).long()
            code = sum((level[:, axis] >> bit & 1) << 3 * bit + axis for axis in range(3) for bit in range(16))
            cell = (code >> 31 & 0xffff) >> 16 - CELL_BITS
            members.append(first + torch.sort(cell, stable=True).indices)
            clusters.append(first_cluster + torch.arange(rows.shape[0], device=rows.device) // self.ratio)
            first_cluster += -(-rows.shape[0] // self.ratio)
        member, of_place = torch.cat(members), torch.cat(clusters)
        cluster = torch.empty_like(member)
        cluster[member] = of_place
        start = torch.nonzero(torch.diff(of_place, prepend=of_place.new_full((1,), -1)))[:, 0]
        return {"start": torch.cat([start, start.new_full((1,), self.points)]), "member": member, "cluster": cluster}

    def check(self, coordinates, found):
        """By how much the coordinates of the clusters are off, in an ulp of fp16; Wrong, where they or a list are wrong."""
        torch, exact = self.torch, self.exact(coordinates)
        if exact["start"].shape[0] != self.clusters + 1:
            raise Wrong(f"{exact['start'].shape[0] - 1} clusters, expected {self.clusters}")
        for name, right in exact.items():
            if found[name].shape != right.shape or not torch.equal(found[name].long(), right):
                raise Wrong(f"{name} differs from a stable sort's of each block")
        sums = torch.zeros((self.clusters, 3), dtype=torch.float64, device=coordinates.device)
        sums.index_add_(0, exact["cluster"], coordinates.double())
        position = sums / (exact["start"][1:] - exact["start"][:-1])[:, None]
        # An ulp of fp16, a subnormal's at least.
        exponents = torch.frexp(position.abs().clamp_min(2.0 ** -14))[1] - 1
        ulp = torch.ldexp(torch.ones_like(position), exponents - 10)
        return worst_of("position", found["position"].double(), position, ulp)


class BucketPooling(Pooling):
    """A workload of pool with clusters=in_bucket of one instance, neither rotated nor padded."""

    def __init__(self, torch, shape, inputs):
        super().__init__(torch, shape, inputs)
        device = inputs["coordinates"].device if "coordinates" in inputs else "cpu"
        self.buckets = BucketIndex(torch, self.points, int(shape["ratio"]), device)

    def index(self):
        return self.buckets.index(self.inputs["coordinates"])

    # Rows.

    def reduced(self, index):
        features, member = self.inputs["features"], index["member"]
        if self.reduce == "mean":
            return self.buckets.mean_of_runs(features, member).bfloat16()
        if self.reduce == "sum":
            return self.buckets.sum_of_runs(features, member).bfloat16()
        runs = self.buckets.runs(features, member)
        return (runs.amin(1) if self.reduce == "min" else runs.amax(1)).bfloat16()

    # What is compared.

    def exact_index(self):
        return self.buckets.exact(self.inputs["coordinates"])

    def exact_cluster(self):
        return self.exact_index()["cluster"]

    def check_index(self, found):
        if self.buckets.clusters != self.clusters:
            raise Wrong(f"{self.buckets.clusters} clusters, the record says {self.clusters}: other inputs")
        return self.buckets.check(self.inputs["coordinates"], found)
