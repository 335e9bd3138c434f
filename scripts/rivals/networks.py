"""What networks of both families are to those who run them: sizes, the layers' names, and each block's position. Needs no
PyTorch.
"""
import sdpa_torch
from flash3d_layers import places_of


class Network:
    """`levels`: of each the real rows, and the slots of its windows. A lone block is one without a decoder."""

    def __init__(self, model, levels, layers, window):
        self.model, self.levels, self.layers, self.window = model, levels, layers, window
        self.is_block = not model.decoder
        self.places, self.matrix_elements, self.vector_elements = places_of(layers)

    @property
    def points(self):
        return self.levels[0].real

    def where_of(self, stage):
        """Of each block of a stage: what tells its windows."""
        raise NotImplementedError

    def blocks(self, stages, name):
        """Of each level: (name, level, channels, where) of its blocks."""
        return [[(f"{name}.{level}.{i}", level, stage.channels, where) for i, where in enumerate(self.where_of(stage))]
                for level, stage in enumerate(stages)]

    def encoder(self):
        return self.blocks(self.model.encoder, "encoder")

    def decoder(self):
        return self.blocks(self.model.decoder, "decoder")

    def all_blocks(self):
        return [block for blocks in (*self.encoder(), *self.decoder()) for block in blocks]

    def attention(self, level, channels):
        heads = self.model.heads(channels)
        return sdpa_torch.AttentionShape(self.levels[level].slots // self.window, self.window, heads, channels // heads)
