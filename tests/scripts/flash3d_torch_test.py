"""Flash3D in PyTorch on a CPU, on inputs and outputs that `ablate dev inputs` writes: the fp64 pass is Ablate's own, both eager forms
compute it, and what they leave out is noticed."""
import sys
import tempfile
import unittest

try:
    import torch
except ImportError:
    from lacks import lacks

    lacks("torch", "PyTorch is not installed")

import backbone_on_cpu  # noqa: E402
import bucket_order_torch  # noqa: E402
import exact_passes_torch  # noqa: E402
import pool_rows_torch  # noqa: E402
import sdpa_torch  # noqa: E402
from backbone_on_cpu import OPERATORS, SEED, attend, rounding_of  # noqa: E402


class Passes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        pattern = "model=small/.*batch=1/.*host=absent|kind=flash3d/.*channels=(32|64)/.*host=absent"
        # Each task holds the fp64 pass to Ablate's own output as it is made.
        cls.tasks = backbone_on_cpu.tasks_of(cls.folder.name, pattern)

    def backbones(self):
        return [task for task, (operation, _) in self.tasks if operation == "backbone"]

    def output(self, forward, task):
        with torch.no_grad():
            return forward(task.given)

    def test_there_are_backbones_of_both_orders_and_blocks(self):
        self.assertEqual([task.is_cut for task in self.backbones()], [True, False])
        self.assertEqual(len(self.tasks), 7)
        for task, _ in self.tasks:
            self.assertIsNotNone(task.checker.exact)

    def test_the_tuned_form_is_as_close_as_rounding_makes_it(self):
        for task, of in self.tasks:
            error = task.checker.error(self.output(task.tuned(OPERATORS), task))
            self.assertLess(error, 1.2 * rounding_of(task), of)

    def test_the_published_form_has_the_same_parameters_and_is_accepted(self):
        for task in self.backbones():
            forward = task.published(SEED)
            forward.__self__.functional = backbone_on_cpu.functional_of_a_gpu()
            self.assertLess(task.checker.error(self.output(forward, task)), 2 * rounding_of(task))

    def test_other_parameters_are_noticed(self):
        task = self.backbones()[0]
        with self.assertRaisesRegex(pool_rows_torch.Wrong, "other parameters"):
            task.published(SEED + 1)

    def test_what_is_left_out_is_noticed(self):
        def no_scopes(model):
            for stages in (model.encoder, getattr(model, "decoder", [])):
                for block in (block for blocks in stages for block in blocks):
                    block.table = block.back = None

        def no_attention(model):
            model.attend = lambda qkv, shape, core: qkv[:, :qkv.shape[1] // 3] * 0

        def other_scores(model):
            model.attend = lambda qkv, shape, core: attend(qkv * 2, shape, core) / 2

        def other_gamma(model):
            for block in model.encoder[0]:
                block.norm1[0] = torch.ones_like(block.norm1[0])

        def no_gelu(model):
            model.activated = lambda x, layer, real: torch.nn.functional.linear(x, *layer)[:real]

        shifted = next(task for task, (_, shape) in self.tasks if shape.get("offset") == "1")
        for task in (self.backbones()[0], shifted):
            for fault in (no_scopes, no_attention, other_scores, other_gamma, no_gelu):
                if task is shifted and fault is no_gelu:
                    continue
                forward = task.tuned(OPERATORS)
                fault(forward.__self__)
                with self.assertRaisesRegex(pool_rows_torch.Wrong, "off by", msg=fault.__name__):
                    task.checker.error(self.output(forward, task))

    def test_an_index_that_is_wrong_is_noticed(self):
        task = self.backbones()[0]
        right = self.output(task.tuned(OPERATORS), task)

        def replaced(name, of):
            parts = list(right[name])
            parts[0] = of
            return {**right, name: parts}
        swapped = right["source"].flip(0)
        for wrong, text in (({**right, "source": right["source"].clamp_min(1)}, "each point in one row"),
                            ({**right, "source": swapped}, "lies before"),
                            (replaced("positions", right["positions"][0] + 1), "coordinates of its point"),
                            (replaced("member", right["member"][0].flip(0)), "member differs"),
                            (replaced("cluster", right["cluster"][0].flip(0)), "cluster differs"),
                            ({**right, "out": right["out"].float()}, "expected bf16")):
            with self.assertRaisesRegex(pool_rows_torch.Wrong, text):
                task.checker.error(wrong)

    def test_another_order_has_a_pass_of_its_own(self):
        task = self.backbones()[1]
        first = self.output(task.tuned(OPERATORS), task)
        task.checker.error(first)
        exact = task.checker.exact
        model = task.tuned(OPERATORS).__self__
        model.order = lambda coordinates: torch.arange(coordinates.shape[0]).flip(0)
        task.checker.error(self.output(model.forward, task))
        self.assertIsNot(task.checker.exact, exact)
        self.assertGreater(exact_passes_torch.distance(task.checker.exact.out, exact.out), 10 * rounding_of(task))

    def test_an_order_that_comes_back_finds_its_pass(self):
        task = self.backbones()[1]
        model = task.tuned(OPERATORS).__self__
        first = self.output(model.forward, task)
        model.order = lambda coordinates: torch.arange(coordinates.shape[0]).flip(0)
        other, exact = self.output(model.forward, task), []
        for found in (first, other, first, other):
            task.checker.error(found)
            exact.append(task.checker.exact)
        self.assertIs(exact[0], exact[2])
        self.assertIs(exact[1], exact[3])
        self.assertIsNot(exact[0], exact[1])

    def test_elements_that_are_no_number_are_counted(self):
        task = self.backbones()[0]
        found = self.output(task.tuned(OPERATORS), task)
        found["out"][3, 5:7] = float("nan")
        with self.assertRaisesRegex(pool_rows_torch.Wrong, rf"^2 of {found['out'].numel()} elements of the output are no number, "
                                                           r"the first at \[3, 5\]$"):
            task.checker.error(found)

    def test_what_is_given_is_compared_with_what_was_written(self):
        task = next(task for task, (operation, _) in self.tasks if operation == "block")
        self.assertEqual(task.altered(), [])
        before = task.given[7, 3].clone()
        self.addCleanup(lambda: task.given[7, 3].copy_(before))
        task.given[7, 3] += 1
        self.assertEqual(task.altered(), ["x"])

    def test_what_a_graph_reads_is_kept_with_it(self):
        for task in (self.backbones()[0], self.tasks[-1][0]):
            self.assertGreater(backbone_on_cpu.expect_a_graph_holds(self, task), 0, task.shape)

    def test_another_models_pass_is_not_ablates(self):
        task = self.backbones()[0]
        out = task.bench.tensor(task.outputs["out"], torch.bfloat16).view(task.given.shape[0], -1)
        index = task.index_of(task.outputs["index"])
        task.checker.hold_to_oracle(index, out)
        with self.assertRaisesRegex(pool_rows_torch.Wrong, "from Ablate's own"):
            task.checker.hold_to_oracle(index, out.flip(0))


class Attention(unittest.TestCase):
    def test_what_is_no_attention_is_off(self):
        shape = sdpa_torch.AttentionShape(3, 64, 2, 16)
        qkv = torch.randn((3 * 64, 3 * 32), generator=torch.Generator().manual_seed(1)).bfloat16()
        right = attend(qkv, shape, "plain")
        self.assertLess(sdpa_torch.error_of(qkv, shape, right), sdpa_torch.ACCEPTED_ERROR)
        for wrong in (right.flip(0), right.flip(1), attend(qkv * 2, shape, "plain") / 2, right * float("nan")):
            self.assertGreater(sdpa_torch.error_of(qkv, shape, wrong), 10 * sdpa_torch.ACCEPTED_ERROR)


class Orders(unittest.TestCase):
    def test_no_bucket_takes_more_than_its_capacity(self):
        generator = torch.Generator().manual_seed(3)
        for points in (1, 100, 5000):
            # All near one place: most points are beyond the capacity of their bucket.
            coordinates = (torch.randn((points, 3), generator=generator) * 0.01).half()
            coordinates[0] = 100
            order = bucket_order_torch.HashedOrder(torch, points, 128, "cpu")
            source = order(coordinates)
            bucket_order_torch.check(torch, coordinates, source, False)
            x, y, z = bucket_order_torch.levels_of(coordinates)
            home = ((x ^ y ^ z) >> order.bits_of_place)[source]
            held = torch.bincount(home.long(), minlength=order.buckets)
            # Rows of one home that stay follow each other, in as many rows as there are places.
            for bucket in torch.nonzero(held).flatten().tolist():
                rows = torch.nonzero(home == bucket).flatten()
                longest = max(len(part) for part in torch.tensor_split(rows, torch.nonzero(torch.diff(rows) != 1).flatten() + 1))
                self.assertGreaterEqual(longest, min(int(held[bucket]), 128))

    def test_a_cut_ascends(self):
        coordinates = (torch.rand((3000, 3), generator=torch.Generator().manual_seed(5)) * 50).half()
        source = bucket_order_torch.cut(torch, coordinates)
        bucket_order_torch.check(torch, coordinates, source, True)


if __name__ == "__main__":
    unittest.main()
