"""Flash3D's backbones and their blocks as data: models, layers in the order of their state_dict, their places in Ablate's
blobs of weights, the rows of each level and the windows of each scope. As kernels/network has them (models.cpp, layers.cpp,
weights.cpp, levels.cpp), to which a test compares them. Needs no PyTorch.
"""
import dataclasses
import math

LEVELS = 5
POOLED_ROWS, POOLED_BLOCK = 2, 1024
INTERLEAVED_WINDOWS = 6
ALIGNMENT = 256
WIDTH_OF_BYTES = {"bf16": 2, "fp32": 4}


@dataclasses.dataclass(frozen=True)
class Stage:
    """The blocks of a level: for each the offset of its windows in buckets, and how many windows are interleaved."""
    channels: int
    scopes: tuple


@dataclasses.dataclass(frozen=True)
class Model:
    """A lone block has no decoder."""
    encoder: tuple
    decoder: tuple = ()
    head_width: int = 16

    def heads(self, channels):
        return max(1, channels // self.head_width)


@dataclasses.dataclass(frozen=True)
class Layer:
    """`kind`: linear, norm or batch_norm; `folded`: of a linear layer the batch norm after it that is folded into it. A
    convolution is a linear layer of all its offsets' inputs."""
    name: str
    kind: str
    inputs: int
    outputs: int
    folded: str = ""
    has_bias: bool = True

    def parameters(self):
        return (self.inputs + self.has_bias) * self.outputs if self.kind == "linear" else 2 * self.outputs


def shifted(channels, depth, offsets):
    return Stage(channels, tuple((offsets[i % len(offsets)], 1) for i in range(depth)))


def published(channels_4=256, depth_4=6, channels_5=512, depth_5=2, decoder=(64, 64, 128, 128, 256)):
    offsets = ((3, 5), (4, 6), (2, 6), (0, 3), (1, 5))
    return Model((Stage(32, ((1, 1), (0, 2))), shifted(64, 2, (7, 2)), shifted(128, 2, (1, 5)),
                  shifted(channels_4, depth_4, (3, 7, 0, 6, 4, 2)), shifted(channels_5, depth_5, (5, 7))),
                 tuple(shifted(channels, 2, of) for channels, of in zip(decoder, offsets)))


def small():
    return Model((Stage(32, ((1, 1), (0, 2))), shifted(32, 1, (1,)), shifted(64, 1, (1,)), shifted(64, 1, (0,)),
                  shifted(128, 1, (1,))),
                 (shifted(64, 1, (1,)), shifted(32, 1, (0,)), shifted(64, 1, (1,)), shifted(64, 1, (0,)), shifted(64, 1, (1,))))


MODELS = {"flash19": published(), "flash46": published(depth_4=8, depth_5=8),
          "flash129": published(512, 8, 1024, 5, (64, 64, 128, 256, 512)), "flash129_deep": published(depth_5=28),
          "small": small()}


def lone_block(channels, head_width, scope):
    return Model((Stage(channels, (scope,)),), (), head_width)


# Layers.

def block_layers(name, channels):
    return [Layer(f"{name}.norm1", "norm", 0, channels), Layer(f"{name}.qkv", "linear", channels, 3 * channels),
            Layer(f"{name}.proj", "linear", channels, channels), Layer(f"{name}.norm2", "norm", 0, channels),
            Layer(f"{name}.fc1", "linear", channels, 8 * channels), Layer(f"{name}.fc2", "linear", 4 * channels, channels)]


def stage_layers(name, stage):
    return [layer for i in range(len(stage.scopes)) for layer in block_layers(f"{name}.{i}", stage.channels)]


def up_layers(name, inputs, skip, outputs):
    made = []
    for branch, of in (("down", inputs), ("skip", skip)):
        norm = f"{name}.{branch}_norm"
        made += [Layer(f"{name}.{branch}", "linear", of, outputs, norm), Layer(norm, "batch_norm", 0, outputs)]
    return made


def layers_of(model):
    """In the order of the state_dict."""
    encoder, decoder = model.encoder, model.decoder
    if not decoder:
        return stage_layers("encoder.0", encoder[0])
    layers = [Layer("embed", "linear", 3, encoder[0].channels)]
    for level, stage in enumerate(encoder):
        layers += stage_layers(f"encoder.{level}", stage)
        if level + 1 < LEVELS:
            to = encoder[level + 1].channels
            layers += [Layer(f"down.{level}.linear", "linear", stage.channels, to),
                       Layer(f"down.{level}.norm", "batch_norm", 0, to)]
    layers.append(Layer("leaf", "linear", encoder[-1].channels, decoder[-1].channels))
    layers += stage_layers(f"decoder.{LEVELS - 1}", decoder[-1])
    for level in reversed(range(LEVELS - 1)):
        layers += up_layers(f"up.{level}", decoder[level + 1].channels, encoder[level + 1].channels, decoder[level].channels)
        layers += stage_layers(f"decoder.{level}", decoder[level])
    return layers


@dataclasses.dataclass(frozen=True)
class Place:
    """First elements: of a linear layer's matrix and bias in the blob of bf16, of everything else (and the bias once more) in
    the blob of fp32."""
    matrix: int
    bias: int
    vectors: int


def places_of(layers):
    """By name; and the elements of both blobs."""
    used = {"bf16": 0, "fp32": 0}

    def take(blob, count):
        at, whole = used[blob], ALIGNMENT // WIDTH_OF_BYTES[blob]
        used[blob] += -(-count // whole) * whole
        return at

    places = {}
    for layer in layers:
        if layer.kind == "linear":
            matrix, bias = take("bf16", layer.inputs * layer.outputs), take("bf16", layer.outputs)
            places[layer.name] = Place(matrix, bias, take("fp32", layer.outputs))
        else:
            places[layer.name] = Place(0, 0, take("fp32", (2 if layer.kind == "norm" else 4) * layer.outputs))
    return places, used["bf16"], used["fp32"]


def gradient_places(layers):
    """(first element, shape) by name, of each parameter's gradient in one fp32 blob; and that blob's elements. Of a norm, beta's
    follows gamma's."""
    used, places, whole = 0, {}, ALIGNMENT // WIDTH_OF_BYTES["fp32"]

    def take(**parts):
        nonlocal used
        for part, shape in parts.items():
            places[f"{layer.name}.{part}"] = used, shape
            used += math.prod(shape)
        used = -(-used // whole) * whole

    for layer in layers:
        if layer.kind == "linear":
            take(weight=(layer.outputs, layer.inputs))
            take(bias=(layer.outputs,))
        else:
            take(weight=(layer.outputs,), bias=(layer.outputs,))
    return places, used


# Rows.

def clusters_of(points):
    whole, rest = divmod(points, POOLED_BLOCK)
    return whole * (POOLED_BLOCK // POOLED_ROWS) + -(-rest // POOLED_ROWS)


@dataclasses.dataclass(frozen=True)
class Level:
    """Rows that are points or clusters of them, and rows with padding: whole windows."""
    real: int
    rows: int

    @property
    def slots(self):
        """Of windows: rows are in them in their own order."""
        return self.rows


def levels_of(points, window):
    levels = []
    for level in range(LEVELS):
        whole = window * (INTERLEAVED_WINDOWS if level == 0 else 1)
        levels.append(Level(points, -(-max(points, 1) // whole) * whole))
        points = clusters_of(points)
    return levels


def scope_table(rows, window, bucket, scope):
    """The buckets of all windows, window after window."""
    offset, stride = scope
    buckets, in_window = rows // bucket, window // bucket
    if buckets % (in_window * stride):
        raise ValueError("windows of a level cannot be interleaved: their number is not a multiple")
    table = []
    for i in range(buckets):
        of_window, place = divmod(i, in_window)
        chunk, phase = of_window // stride * stride * in_window, of_window % stride
        table.append((offset + chunk + phase + stride * place) % buckets)
    return table


# The index, as `ablate dev inputs --outputs index` writes it.

def index_places(levels):
    """First bytes, by name and level: `source` has one."""
    used = 0

    def take(count):
        nonlocal used
        at = used
        used += -(-count // ALIGNMENT) * ALIGNMENT
        return at

    places = {"source": [take(4 * levels[0].rows)], "positions": [], "member": [], "cluster": []}
    for level, here in enumerate(levels):
        places["positions"].append(take(6 * here.rows))
        if level + 1 < len(levels):
            take(4 * (levels[level + 1].rows + 1))
            places["member"].append(take(4 * here.real))
            places["cluster"].append(take(4 * here.real))
            take(8)
    return places, used
