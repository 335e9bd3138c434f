"""The voxels of a scan and their kernel maps, as variants/sparse_conv/map.h makes them, in plain Python: cells of 5 cm
counted from the cloud's corner in fp32, in order of first appearance; each level halves the coordinates of the one before.
"""
import math
import struct

CELL_M = 0.05


def fp32(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


def points_of(path, floats_per_point):
    """[(x, y, z)] of little-endian float32 records; those with a number that is not finite are left out."""
    data = path.read_bytes()
    record = struct.Struct(f"<{floats_per_point}f")
    return [point[:3] for point in record.iter_unpack(data[:len(data) // record.size * record.size])
            if all(math.isfinite(x) for x in point[:3])]


def voxels_of(points, level):
    """[(x, y, z)] of a level."""
    corner, cell = [min(axis) for axis in zip(*points)], fp32(CELL_M)

    def place(x, low):
        # The quotient of two fp32 in fp64, rounded to fp32, is the fp32 quotient.
        return math.floor(fp32(fp32(x - low) / cell))

    # Dictionaries keep the order of first appearance.
    voxels = dict.fromkeys(tuple(place(x, low) for x, low in zip(point, corner)) for point in points)
    for _ in range(1, level):
        voxels = dict.fromkeys((x >> 1, y >> 1, z >> 1) for x, y, z in voxels)
    return list(voxels)


def lists_of(voxels, kernel):
    """Per offset the in rows and the out rows, the latter ascending."""
    row_at = {voxel: row for row, voxel in enumerate(voxels)}
    reach = range(-(kernel // 2), kernel // 2 + 1)
    lists = []
    for dx in reach:
        for dy in reach:
            for dz in reach:
                found = [row_at.get((x + dx, y + dy, z + dz), -1) for x, y, z in voxels]
                outs = [row for row, there in enumerate(found) if there >= 0]
                lists.append(([found[row] for row in outs], outs))
    return lists


def hash_of(voxels):
    """As hash_hex of harness/inputs over rows of int32: batch 0, x, y, z."""
    state = 0xCBF29CE484222325
    for voxel in voxels:
        for byte in struct.pack("<4i", 0, *voxel):
            state = (state ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return f"{state:016x}"
