"""Pooling by grid as it is written in PyTorch (specification: backbone §1, flash3d §4.4), and what its outputs are held to.

`published`: PTv3's steps: unique with inverse and counts, a sort of the cluster ids, sums, heads, an argsort a curve and a
scatter for each inverse; the reduction by scatter_reduce in fp32. It waits for the device where unique and bincount do.
`flags`: the same outputs without a sort from the orders that are there, by flags and sums over them; the number of clusters
is known, so nothing waits.
"""
from pool_rows_torch import REDUCTIONS, Pooling, Wrong, worst_of


class GridPooling(Pooling):
    """A workload of pool with clusters=grid; arrays over curves are [curves][points]."""

    def __init__(self, torch, shape, inputs):
        super().__init__(torch, shape, inputs)
        self.shift, self.depth, self.curves = shape["shift"], shape["depth"], int(shape["curves"])

    # The index.

    def index_published(self):
        torch = self.torch
        codes = self.inputs["codes"] >> 3 * self.shift
        _, cluster, counts = torch.unique(codes[0], sorted=True, return_inverse=True, return_counts=True)
        _, member = torch.sort(cluster)
        start = torch.cat([counts.new_zeros(1), torch.cumsum(counts, 0)])
        heads = member[start[:-1]]
        code = codes[:, heads]
        order = torch.argsort(code)
        places = torch.arange(code.shape[1], device=code.device).repeat(code.shape[0], 1)
        inverse = torch.zeros_like(order).scatter_(1, order, places)
        count = torch.cumsum(torch.bincount(code[0] >> 3 * (self.depth - self.shift)), 0)
        position = self.segment_mean(self.inputs["positions"], cluster, heads.shape[0])
        return {"start": start, "member": member, "cluster": cluster, "count": count, "code": code, "order": order,
                "inverse": inverse, "cell": self.inputs["cells"][heads] >> self.shift, "position": position}

    def index_flags(self):
        torch = self.torch
        orders = self.inputs["orders"].long()
        sorted_codes = torch.gather(self.inputs["codes"], 1, orders) >> 3 * self.shift
        flags = torch.ones_like(sorted_codes, dtype=torch.bool)
        flags[:, 1:] = sorted_codes[:, 1:] != sorted_codes[:, :-1]
        numbers = torch.cumsum(flags, 1) - 1
        cluster = torch.empty_like(numbers[0]).scatter_(0, orders[0], numbers[0])
        # Of the places in an order those that begin a cluster, by its number; the others go one place past the end.
        # masked_fill: where() would bring a number of the host to the device, and wait.
        places = numbers.masked_fill(~flags, self.clusters)
        room = orders.new_empty((self.curves, self.clusters + 1))
        heads = room.scatter(1, places, orders)[:, :-1]
        order = cluster[heads]
        code = room.scatter(1, cluster[orders].masked_fill(~flags, self.clusters), sorted_codes)[:, :-1]
        at = torch.arange(self.clusters, device=orders.device).expand(self.curves, -1)
        inverse = torch.empty_like(order).scatter_(1, order, at)
        points = torch.arange(self.points, device=orders.device)
        start = room.new_empty(self.clusters + 1).scatter(0, places[0], points)
        start[-1:].fill_(self.points)  # start[-1] = … would bring the number from the host, and wait
        instances = code[0] >> 3 * (self.depth - self.shift)
        count = torch.zeros(int(self.shape["batch"]), dtype=torch.int64, device=orders.device)
        count = count.index_add(0, instances, torch.ones_like(instances)).cumsum(0)
        position = self.segment_mean(self.inputs["positions"], cluster, self.clusters)
        return {"start": start, "member": orders[0], "cluster": cluster, "count": count, "code": code, "order": order,
                "inverse": inverse, "cell": self.inputs["cells"][heads[0]] >> self.shift, "position": position}

    def segment_mean(self, values, cluster, clusters):
        sums = values.new_zeros((clusters, values.shape[1])).index_add_(0, cluster, values)
        members = values.new_zeros(clusters).index_add_(0, cluster, values.new_ones(cluster.shape[0]))
        return sums / members[:, None]

    # Rows.

    def reduced(self, index):
        features = self.inputs["features"].float()
        to = features.new_zeros((index["order"].shape[1], features.shape[1]))
        at = index["cluster"][:, None].expand_as(features)
        return to.scatter_reduce_(0, at, features, REDUCTIONS[self.reduce], include_self=False).bfloat16()

    # What is compared.

    def exact_index(self):
        """Clusters, codes and orders, each in a way of its own."""
        torch = self.torch
        codes = self.inputs["codes"] >> 3 * self.shift
        unique, cluster = torch.unique(codes[0], sorted=True, return_inverse=True)
        code = torch.stack([torch.empty_like(unique).scatter_(0, cluster, of_curve) for of_curve in codes])
        return {"cluster": cluster, "code": code, "order": torch.argsort(code)}

    def exact_cluster(self):
        return self.exact_index()["cluster"]

    def check_index(self, found):
        exact = self.exact_index()
        if exact["code"].shape[1] != self.clusters:
            raise Wrong(f"{exact['code'].shape[1]} clusters, the record says {self.clusters}: other inputs")
        for name, right in exact.items():
            if found[name].shape != right.shape or not self.torch.equal(found[name].long(), right.long()):
                raise Wrong(f"{name} differs from the unique codes'")
        at = self.torch.arange(self.clusters, device=right.device).expand(self.curves, -1)
        if not self.torch.equal(self.torch.gather(found["inverse"], 1, found["order"]), at):
            raise Wrong("an inverse is not that of its order")
        position = self.segment_mean(self.inputs["positions"].double(), exact["cluster"], self.clusters)
        return worst_of("position", found["position"].double(), position, 1e-5 * (1 + position.abs()))
