"""What PTv3 goes by, as a user who tunes writes it in PyTorch: codes of voxels on four curves, and which voxels are neighbors
(specification: backbone §3, flash3d §3). Sizes are known beforehand, and nothing waits for the device.

Codes: bits are spread by a table, 8 at a time. Hilbert's curve is a state machine on the bits of the z-order code, 3 levels
a look-up (kernels/serialize/hilbert_states.h). Neighbors: the code of a cell one further along an axis needs that axis's bits
alone, so all offsets' codes are sums of three, which are then searched for among the sorted ones.
"""
FAR = 1 << 60  # beyond any code, as are sums of three
BITS_OF_TABLE, LEVELS_OF_LOOKUP = 8, 3
LOOKUP = 1 << 3 * LEVELS_OF_LOOKUP


def spread(number):
    """Its bits, two zeros between them."""
    return sum((number >> bit & 1) << 3 * bit for bit in range(number.bit_length()))


def hilbert_step(state, octant):
    """Of the curve in an orientation, (axes, whether each is inverted): the digits of an octant, and the orientation below."""
    axes, inverted = list(state[0]), list(state[1])
    is_set = [(octant >> 2 - axes[a] & 1) != inverted[a] for a in range(3)]
    digits, digit = 0, False
    for a in range(3):
        digit ^= is_set[a]
        digits = digits << 1 | digit
    for a in range(3):
        if is_set[a]:
            inverted[0] ^= True
        else:
            axes[0], axes[a] = axes[a], axes[0]
            inverted[0], inverted[a] = inverted[a], inverted[0]
    inverted[0] ^= digit
    return digits, (tuple(axes), tuple(inverted))


def hilbert_machine():
    """[state][octant]: (digits, next state); the curve's own orientation is state 0."""
    met, machine = [((0, 1, 2), (False, False, False))], []
    for state in met:
        steps = [hilbert_step(state, octant) for octant in range(8)]
        met += [below for below in dict.fromkeys(below for _, below in steps) if below not in met]
        machine.append([(digits, met.index(below)) for digits, below in steps])
    return machine


def walked(machine, state, octants):
    """The digits of octants from the top, and the state after them."""
    code = 0
    for octant in octants:
        digits, state = machine[state][octant]
        code = code << 3 | digits
    return code, state


class CurveCodes:
    """Of cells whose coordinates have so many bits, on one or four curves: z-order, that with x and y exchanged, and Hilbert's
    of both."""

    def __init__(self, torch, depth, curves, device):
        self.torch, self.curves = torch, curves
        # A cell beside the last may have one bit more.
        self.spread = torch.tensor([spread(i) for i in range(2 << BITS_OF_TABLE)], device=device)
        self.shifts = torch.tensor([2, 1, 0], device=device)
        if curves == 1:
            return
        machine = hilbert_machine()
        self.lookups = -(-depth // LEVELS_OF_LOOKUP)
        # Zero octants before the first bit turn the curve: start in the state that they turn into the right one.
        zeros = [0] * (LEVELS_OF_LOOKUP * self.lookups - depth)
        self.start = LOOKUP * next(state for state in range(len(machine)) if walked(machine, state, zeros) == (0, 0))
        self.machine = torch.tensor([self.entry(machine, state, bits) for state in range(len(machine)) for bits in range(LOOKUP)],
                                    device=device)

    @staticmethod
    def entry(machine, state, bits):
        code, below = walked(machine, state, [bits >> 3 * level & 7 for level in reversed(range(LEVELS_OF_LOOKUP))])
        return LOOKUP * below | code

    def spread_bits(self, coordinates):
        """Of integers up to 2^16, int64."""
        low = self.spread[coordinates & (1 << BITS_OF_TABLE) - 1]
        return low | self.spread[coordinates >> BITS_OF_TABLE] << 3 * BITS_OF_TABLE

    def of_cells(self, cells):
        """[curves][V] of int [V][3]."""
        torch, (x, y, z) = self.torch, self.spread_bits(cells.long()).unbind(1)
        straight = x << 2 | y << 1 | z
        if self.curves == 1:
            return straight[None]
        ordered = torch.stack([straight, y << 2 | x << 1 | z])
        return torch.cat([ordered, self.hilbert(ordered)])

    def hilbert(self, ordered):
        code, state = self.torch.zeros_like(ordered), self.start
        for lookup in reversed(range(self.lookups)):
            found = self.machine[(ordered >> 3 * LEVELS_OF_LOOKUP * lookup & LOOKUP - 1) + state]
            digits = found & LOOKUP - 1
            code, state = code << 3 * LEVELS_OF_LOOKUP | digits, found - digits
        return code


class Neighbors:
    """At the offsets of a kernel of so many cells an edge, x first."""

    def __init__(self, torch, codes, kernel, device):
        self.torch, self.codes, self.offsets = torch, codes, kernel ** 3
        self.reach = torch.arange(-(kernel // 2), kernel // 2 + 1, device=device)

    def table(self, cells, sorted_codes, order, offsets=None):
        """int32 [V][offsets]: the row there, or V; of the first offsets alone, where that is said. `sorted_codes`: in z-order;
        `order`: the rows as they are sorted."""
        rows, count = cells.shape[0], self.reach.shape[0]
        along = cells.long()[:, :, None] + self.reach
        codes = self.codes.spread_bits(along.clamp_min(0)) << self.codes.shifts[:, None]
        x, y, z = codes.masked_fill(along < 0, FAR).unbind(1)
        wanted = (x[:, :, None, None] + y[:, None, :, None] + z[:, None, None, :]).view(rows, count ** 3)[:, :offsets]
        wanted = wanted.contiguous()
        place = self.torch.searchsorted(sorted_codes, wanted, out_int32=True).clamp_max(rows - 1).long()
        return order.int()[place].masked_fill(sorted_codes[place] != wanted, rows)

    def lists(self, cells, sorted_codes, order, pairs):
        """Of so many pairs: in rows, out rows, and the ends of the lists of all offsets but the middle one, which pairs each row
        with itself; the second half of the lists mirrors the first."""
        torch, rows, half = self.torch, cells.shape[0], self.offsets // 2
        count = (pairs - rows) // 2
        found = self.table(cells, sorted_codes, order, half).t().reshape(-1)
        is_pair = found < rows
        number = torch.cumsum(is_pair, 0)
        # Those that are none go one place past the end.
        at = (number - 1).masked_fill(~is_pair, count)
        room = found.new_empty(count + 1)
        out = torch.arange(rows, dtype=torch.int32, device=cells.device).repeat(half)
        ins, outs = room.scatter(0, at, found)[:count], room.scatter(0, at, out)[:count]
        ends = number.view(half, rows)[:, -1]
        return {"ins": torch.cat([ins, outs]), "outs": torch.cat([outs, ins]), "ends": torch.cat([ends, ends + count]).int()}


def offsets_of_lists(offsets):
    """Which offset each of the lists is for."""
    half = offsets // 2
    return [*range(half), *(offsets - 1 - q for q in range(half))]
