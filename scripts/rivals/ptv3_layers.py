"""PTv3's backbones and their blocks as data: models, layers in the order of their state_dict, slots of the windows; as
flash3d_layers.py has Flash3D's, and as kernels/network has them, to which a test compares them. Needs no PyTorch.
"""
import dataclasses

from flash3d_layers import LEVELS, Layer, up_layers

STEM_CHANNELS, STEM_KERNEL, POSITION_KERNEL = 4, 5, 3
HALVED = 1  # bits of a cell's coordinate that pooling takes


@dataclasses.dataclass(frozen=True)
class Stage:
    channels: int
    depth: int


@dataclasses.dataclass(frozen=True)
class Model:
    """A lone block has no decoder. `curves`: along which windows are gathered, block by block in turn."""
    encoder: tuple
    decoder: tuple = ()
    has_positions: bool = True
    curves: int = 4
    head_width: int = 16

    def heads(self, channels):
        return max(1, channels // self.head_width)


def stages(*sizes):
    return tuple(Stage(channels, depth) for channels, depth in sizes)


PUBLISHED = Model(stages((32, 2), (64, 2), (128, 2), (256, 6), (512, 2)), stages((64, 2), (64, 2), (128, 2), (256, 2)))
MODELS = {
    "ptv3": PUBLISHED,
    "ptv3_without_positions": dataclasses.replace(PUBLISHED, has_positions=False),
    "ptv3_one_order": dataclasses.replace(PUBLISHED, has_positions=False, curves=1),
    "small_ptv3": Model(stages((32, 2), (32, 1), (64, 1), (64, 4), (128, 1)), stages((64, 1), (32, 1), (64, 1), (64, 1))),
}


def lone_block(channels, head_width):
    return Model(stages((channels, 1)), has_positions=False, curves=1, head_width=head_width)


# Layers.

def block_layers(name, channels, has_positions):
    position = [Layer(f"{name}.cpe.conv", "linear", POSITION_KERNEL ** 3 * channels, channels),
                Layer(f"{name}.cpe.linear", "linear", channels, channels), Layer(f"{name}.cpe.norm", "norm", 0, channels)]
    return [*(position if has_positions else []),
            Layer(f"{name}.norm1", "norm", 0, channels), Layer(f"{name}.qkv", "linear", channels, 3 * channels),
            Layer(f"{name}.proj", "linear", channels, channels), Layer(f"{name}.norm2", "norm", 0, channels),
            Layer(f"{name}.fc1", "linear", channels, 4 * channels), Layer(f"{name}.fc2", "linear", 4 * channels, channels)]


def stage_layers(name, stage, has_positions):
    return [layer for i in range(stage.depth) for layer in block_layers(f"{name}.{i}", stage.channels, has_positions)]


def layers_of(model):
    """In the order of the state_dict."""
    encoder, decoder, has_positions = model.encoder, model.decoder, model.has_positions
    if not decoder:
        return stage_layers("encoder.0", encoder[0], has_positions)
    channels = encoder[0].channels
    layers = [Layer("stem.conv", "linear", STEM_KERNEL ** 3 * STEM_CHANNELS, channels, has_bias=False),
              Layer("stem.norm", "batch_norm", 0, channels)]
    for level, stage in enumerate(encoder):
        layers += stage_layers(f"encoder.{level}", stage, has_positions)
        if level + 1 < LEVELS:
            to = encoder[level + 1].channels
            layers += [Layer(f"down.{level}.linear", "linear", stage.channels, to),
                       Layer(f"down.{level}.norm", "batch_norm", 0, to)]
    for level in reversed(range(LEVELS - 1)):
        below = (decoder[level + 1] if level + 2 < LEVELS else encoder[-1]).channels
        layers += up_layers(f"up.{level}", below, encoder[level].channels, decoder[level].channels)
        layers += stage_layers(f"decoder.{level}", decoder[level], has_positions)
    return layers


# Rows.

@dataclasses.dataclass(frozen=True)
class Level:
    """Voxels, slots of their windows, and pairs of neighbors, a voxel and itself among them."""
    real: int
    slots: int
    pairs: int = 0


def slots_of(rows, window):
    """Rounded up to whole windows, unless the rows fit one."""
    return rows if rows <= window else -(-rows // window) * window


def levels_of(rows, pairs, window):
    return [Level(real, slots_of(real, window), of_level) for real, of_level in zip(rows, pairs)]
