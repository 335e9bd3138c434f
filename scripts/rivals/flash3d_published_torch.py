"""Flash3D's steps as the published code takes them (specification: backbone §3, flash3d §1, §4 and §5), rewritten in PyTorch:
fp32 parameters under autocast to bf16, batch norms in their place, and the host waiting where the published host does: four
times for the order (two means and a maximum of the instances' sizes, the probe table), once a block for the table of its
windows, made on the host, and twice a pool. What are kernels of its own there (hashing, pooling) are sorts and scatters here,
which PyTorch has for them; attention cannot follow a table here, so whole buckets are gathered and go back.
"""
import bucket_order_torch
import flash3d_layers
import pool_buckets_torch
from pool_rows_torch import Wrong
from published_layers_torch import PublishedLayers


class PublishedFlash3D(PublishedLayers):
    def __init__(self, *of, probes, is_cut=True, trains=False):
        super().__init__(*of, trains)
        torch, network, self.is_cut, self.probes = self.torch, self.network, is_cut, probes
        self.sizes = torch.tensor([network.points], device=self.device)
        self.pools = [pool_buckets_torch.BucketIndex(torch, level.real, flash3d_layers.POOLED_ROWS, self.device)
                      for level in network.levels[:-1]]

    def order(self, coordinates):
        """Sizes go to the host, the probe table comes from it."""
        torch, sizes = self.torch, self.sizes.float()
        mean, capacity, most = int(sizes.mean().item()), self.network.bucket, int(sizes.max().item())
        buckets = bucket_order_torch.buckets_for(max(most, int(sizes.mean().item())), capacity)
        torch.tensor(self.probes, dtype=torch.int16, device=self.device)
        if mean > buckets * capacity:
            raise Wrong("order: more points than places")
        return bucket_order_torch.order_of(torch, most, capacity, self.device, self.is_cut)(coordinates)

    def block(self, x, where):
        torch, network = self.torch, self.network
        name, level, channels, scope = where
        table = flash3d_layers.scope_table(x.shape[0], network.window, network.bucket, scope)
        table = torch.tensor(table, device=self.device)
        qkv = self.linear(self.norm(x, f"{name}.norm1"), f"{name}.qkv")
        in_buckets = qkv.view(table.shape[0], -1)[table].view(qkv.shape)
        rows = self.attended(in_buckets, level, channels)
        attended = torch.empty_like(rows).view(table.shape[0], -1)
        attended[table] = rows.view(table.shape[0], -1)
        x = x + self.linear(attended.view(rows.shape), f"{name}.proj")
        gate, up = self.linear(self.norm(x, f"{name}.norm2"), f"{name}.fc1").chunk(2, dim=-1)
        return x + self.linear(self.functional.silu(gate) * up, f"{name}.fc2")

    def padded(self, rows, level):
        return self.functional.pad(rows, (0, 0, 0, self.network.levels[level].rows - rows.shape[0]))

    def pooled(self, x, level, index):
        """The clusters' sizes go to the host: how many rows there are, and the most of one."""
        size = index["start"][1:] - index["start"][:-1]
        rows, most = size.shape[0], int(size.max().item())
        if int(size.sum().item()) != self.network.levels[level].real or most > flash3d_layers.POOLED_ROWS:
            raise Wrong(f"level {level}: clusters of other rows")
        real, channels = x[:self.network.levels[level].real], x.shape[1]
        at = index["cluster"][:, None].expand(-1, channels)
        means = real.new_zeros((rows, channels)).scatter_reduce_(0, at, real, "mean", include_self=False)
        normed = self.batch_norm(means, f"down.{level}.norm")
        return self.padded(self.functional.gelu(normed), level + 1)

    def whole(self, coordinates):
        network = self.network
        source = self.order(coordinates)
        found = {"source": source, "positions": [coordinates[source]], "member": [], "cluster": []}
        x = self.linear(self.padded(found["positions"][0], 0), "embed")
        skipped = []
        for level, blocks in enumerate(network.encoder()):
            for where in blocks:
                x = self.block(x, where)
            if level + 1 == flash3d_layers.LEVELS:
                break
            index = self.pools[level].index(found["positions"][-1])
            for name in ("member", "cluster"):
                found[name].append(index[name])
            found["positions"].append(index["position"])
            skipped.append(self.linear(x, f"down.{level}.linear"))
            x = self.pooled(skipped[-1], level, index)
        x = self.linear(x, "leaf")
        for level, blocks in reversed(list(enumerate(network.decoder()))):
            if level + 1 < flash3d_layers.LEVELS:
                down = self.activated(x, f"up.{level}.down", network.levels[level + 1].real)
                rows = self.activated(skipped[level], f"up.{level}.skip", network.levels[level].real) + \
                    down[found["cluster"][level]]
                x = self.padded(rows, level)
            for where in blocks:
                x = self.block(x, where)
        out = self.torch.empty_like(x[:network.points])
        out[source] = x[:network.points]
        return {"out": out, **found}
