"""Points into bucket order as a user writes it in PyTorch, and what an order is held to (specification: flash3d §1). A cut: a
stable sort by the leading bits of a z key of each point's levels in the box of all. Hashed: a sort by the bucket that the
exclusive or of the levels falls into; points beyond a bucket's capacity go to the free places of all buckets in order, by
prefix sums, without looking near their voxel first. Nothing waits for the device.
"""
from pool_buckets_torch import levels_in_box, z_key
from pool_rows_torch import Wrong

CUT_BITS = 12


def buckets_for(points, capacity):
    buckets = 32
    while buckets * capacity < points:
        buckets *= 2
    return buckets


def levels_of(coordinates):
    rows = coordinates.float()
    return levels_in_box(rows, rows.amin(0), rows.amax(0))


def cut(torch, coordinates):
    """The point in each row."""
    return torch.sort((z_key(*levels_of(coordinates)) >> 16 - CUT_BITS).short(), stable=True).indices


class HashedOrder:
    """Of so many points."""

    def __init__(self, torch, points, capacity, device):
        self.torch, self.points, self.capacity = torch, points, capacity
        self.buckets = buckets_for(points, capacity)
        self.bits_of_place = 16 - (self.buckets - 1).bit_length()  # within a bucket's share of the keys
        self.bounds = torch.arange(self.buckets + 1, device=device)
        self.row = torch.arange(points, device=device)

    def __call__(self, coordinates):
        torch = self.torch
        x, y, z = levels_of(coordinates)
        home, order = torch.sort(((x ^ y ^ z) >> self.bits_of_place).short(), stable=True)
        home = home.long()
        first = torch.searchsorted(home, self.bounds)
        stays = self.row - first[home] < self.capacity
        free = (self.capacity - (first[1:] - first[:-1])).clamp_min(0)
        # Of the points that do not stay, each takes the next free place.
        number = torch.cumsum((~stays).long(), 0) - 1
        bucket = torch.where(stays, home, torch.searchsorted(torch.cumsum(free, 0), number, right=True))
        return order[torch.sort(bucket.short(), stable=True).indices]


def order_of(torch, points, capacity, device, is_cut):
    """What makes an order of coordinates, fp16 [points][3]."""
    return (lambda coordinates: cut(torch, coordinates)) if is_cut else HashedOrder(torch, points, capacity, device)


def check(torch, coordinates, source, is_cut):
    """Each point in one row; where they are cut, ascending by the leading bits of the key, which is made here bit by bit."""
    points = coordinates.shape[0]
    if source.shape != (points,) or not torch.equal(torch.sort(source).values, torch.arange(points, device=source.device)):
        raise Wrong("order: expected each point in one row")
    if not is_cut:
        return
    levels = torch.stack(levels_of(coordinates)).long()
    code = sum((levels[axis] >> bit & 1) << 3 * bit + axis for axis in range(3) for bit in range(16))
    cell = (code >> 31 & 0xffff)[source] >> 16 - CUT_BITS
    if not bool((cell[1:] >= cell[:-1]).all()):
        raise Wrong("order: a row's cell lies before the cell of the row in front of it")
