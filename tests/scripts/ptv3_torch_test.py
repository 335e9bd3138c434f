"""PTv3 in PyTorch on a CPU, on inputs and outputs that `ablate dev inputs` writes: the fp64 pass is Ablate's own, both eager forms and
both forms of convolutions compute it, and what they leave out is noticed."""
import sys
import tempfile
import types
import unittest

try:
    import torch
except ImportError:
    from lacks import lacks

    lacks("torch", "PyTorch is not installed")

import backbone_on_cpu  # noqa: E402
import bench_torch  # noqa: E402
import pool_rows_torch  # noqa: E402
import ptv3_exact_torch  # noqa: E402
import ptv3_published_torch  # noqa: E402
import sparse_rows_torch  # noqa: E402
import voxel_index_torch  # noqa: E402
from backbone_on_cpu import OPERATORS, SEED, attend, rounding_of  # noqa: E402


def drawn_cells(count, depth, seed=1):
    """Distinct, some at the corners."""
    generator = torch.Generator().manual_seed(seed)
    cells = torch.randint(1 << depth, (count, 3), generator=generator)
    cells[0], cells[1] = 0, (1 << depth) - 1
    return torch.unique(cells, dim=0).int()


class Codes(unittest.TestCase):
    def test_tables_give_the_codes_of_loops_over_bits(self):
        for depth in (4, 5, 6, 9, 12, 16):
            cells = drawn_cells(500, depth)
            exact = ptv3_exact_torch.codes_of(torch, cells, depth, 4)
            self.assertTrue(torch.equal(voxel_index_torch.CurveCodes(torch, depth, 4, "cpu").of_cells(cells), exact), depth)
            self.assertTrue(torch.equal(voxel_index_torch.CurveCodes(torch, depth, 1, "cpu").of_cells(cells), exact[:1]))
            tables = [torch.tensor([voxel_index_torch.spread(i) << 2 - axis for i in range(256)]) for axis in range(3)]
            self.assertTrue(torch.equal(ptv3_published_torch.z_code(tables, cells, depth), exact[0]))
            self.assertTrue(torch.equal(ptv3_published_torch.hilbert_code(torch, cells, depth, "cpu"), exact[2]))

    def test_hilberts_curve_goes_from_cell_to_neighbor(self):
        cells = torch.cartesian_prod(*3 * [torch.arange(8)]).int()
        code = ptv3_exact_torch.code_of(cells, 3, True)
        walk = cells[torch.argsort(code)].long()
        self.assertTrue(bool(((walk[1:] - walk[:-1]).abs().sum(1) == 1).all()))


class Neighbors(unittest.TestCase):
    def made(self, depth=5, kernel=3):
        cells = drawn_cells(3000, depth)
        codes = voxel_index_torch.CurveCodes(torch, depth, 1, "cpu")
        code = codes.of_cells(cells)[0]
        order = torch.argsort(code)
        return cells, voxel_index_torch.Neighbors(torch, codes, kernel, "cpu"), code[order], order

    def test_tables_are_those_of_cells_one_by_one(self):
        for kernel, depth in ((3, 5), (5, 5), (5, 16)):
            cells, neighbors, *of = self.made(depth, kernel)
            self.assertTrue(torch.equal(neighbors.table(cells, *of).long(), ptv3_exact_torch.table_of(torch, cells, kernel)))

    def test_lists_say_what_tables_say_and_faults_are_noticed(self):
        cells, neighbors, *of = self.made()
        exact, rows = ptv3_exact_torch.table_of(torch, cells, 3), cells.shape[0]
        pairs = int((exact < rows).sum())
        lists = neighbors.lists(cells, *of, pairs)
        self.assertTrue(torch.equal(ptv3_exact_torch.table_of_lists(torch, lists, rows), exact))
        twice = {**lists, "outs": lists["outs"].clone(), "ins": lists["ins"].clone()}
        for name in ("outs", "ins"):
            twice[name][1] = twice[name][0]
        with self.assertRaisesRegex(pool_rows_torch.Wrong, "twice"):
            ptv3_exact_torch.table_of_lists(torch, twice, rows)
        with self.assertRaisesRegex(pool_rows_torch.Wrong, "end elsewhere"):
            ptv3_exact_torch.table_of_lists(torch, {**lists, "ends": lists["ends"] - 1}, rows)


class Padding(unittest.TestCase):
    def test_instances_are_padded_from_the_window_before(self):
        pad, unpad = ptv3_published_torch.padding(torch, torch.tensor([10, 13]), 4, "cpu")
        self.assertEqual(pad.tolist(), [*range(10), 6, 7, 10, 11, 12])
        self.assertEqual(unpad.tolist(), [*range(10), 12, 13, 14])


class Convolutions(unittest.TestCase):
    def bench(self, **times):
        def warm_up(launch):
            return 1, times["grouped"] if "grouped" in str(launch.__code__.co_names) else times["columns"]
        return types.SimpleNamespace(torch=torch, device="cpu", warm_up=warm_up)

    def test_the_faster_form_is_taken_and_none_is_needed(self):
        shape = sparse_rows_torch.ConvolutionShape(50, 120, 32)
        for times, form in (({"columns": 2.0, "grouped": 1.0}, "grouped"), ({"columns": 1.0, "grouped": 2.0}, "columns")):
            self.assertEqual(sparse_rows_torch.Convolutions(self.bench(**times)).form_of(shape), form)
        self.assertEqual(sparse_rows_torch.fastest({"columns": 3.0, "grouped": None}), "columns")

    def test_both_forms_are_one_convolution(self):
        made = sparse_rows_torch.Convolutions(self.bench())
        x, table, lists, matrix = made.made(sparse_rows_torch.ConvolutionShape(200, 900, 32))
        matrix, bias = matrix / 27, matrix[:, 0].contiguous()
        by_columns = sparse_rows_torch.columns(torch, x, table, matrix, bias).float()
        by_lists = backbone_on_cpu.grouped(x, lists, *sparse_rows_torch.regrouped(matrix, 32), bias).float()
        self.assertLess(((by_columns - by_lists).norm() / by_columns.norm()).item(), 1e-2)


class Passes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.tasks = []
        pattern = "model=small_ptv3/.*batch=1/.*host=absent|kind=ptv3/.*host=absent"
        # Each task holds the fp64 pass to Ablate's own output as it is made.
        for form in sparse_rows_torch.FORMS:
            folder = tempfile.TemporaryDirectory()
            cls.addClassCleanup(folder.cleanup)
            cls.tasks += backbone_on_cpu.tasks_of(folder.name, pattern, form)

    def backbones(self):
        return [task for task, (operation, _) in self.tasks if operation == "backbone"]

    def output(self, forward, task):
        with torch.no_grad():
            return forward(task.given)

    def test_there_are_backbones_and_blocks_on_rows_in_place_and_gathered(self):
        self.assertEqual(len(self.backbones()), 2)
        self.assertEqual(sorted(shape["stand"] for _, (_, shape) in self.tasks if "stand" in shape),
                         ["gathered", "gathered", "in_place", "in_place"])

    def test_what_a_graph_reads_is_kept_with_it(self):
        for task, _ in self.tasks:
            self.assertGreater(backbone_on_cpu.expect_a_graph_holds(self, task), 0, task.shape)

    def test_what_is_given_is_compared_with_what_was_written(self):
        task = self.backbones()[0]
        self.assertEqual(task.altered(), [])
        given, task.given = task.given, {**task.given, "cells": task.given["cells"].flip(0)}
        self.addCleanup(setattr, task, "given", given)
        self.assertEqual(task.altered(), ["cells"])

    def test_the_tuned_form_is_as_close_as_rounding_makes_it(self):
        for task, of in self.tasks:
            error = task.checker.error(self.output(task.tuned(OPERATORS), task))
            self.assertLess(error, 1.3 * rounding_of(task), of)

    def test_the_published_form_has_the_same_parameters_and_is_accepted(self):
        for task, of in self.tasks[:len(self.tasks) // 2]:
            if task.network.is_block:
                continue
            forward = task.published(SEED)
            forward.__self__.functional = backbone_on_cpu.functional_of_a_gpu()
            self.assertLess(task.checker.error(self.output(forward, task)), 2 * rounding_of(task))

    def test_features_are_what_is_compiled(self):
        task, compiled = self.backbones()[0], []

        def compiles(function):
            compiled.append(function.__name__)
            return function
        task.bench.compilable = lambda trains: OPERATORS
        task.checker.error(self.output(task.compiled_by(compiles), task))
        self.assertEqual(compiled, ["features"])

    def test_what_is_left_out_is_noticed(self):
        def no_position(block):
            block.position_norm = [row * 0 for row in block.position_norm]

        def other_curve(block):
            block.curve = 0

        def no_mlp(block):
            block.fc2 = [of * 0 for of in block.fc2]

        for task in self.backbones():
            for fault in (no_position, other_curve, no_mlp):
                forward = task.tuned(OPERATORS)
                for level in forward.__self__.encoder:
                    for block in level:
                        fault(block)
                with self.assertRaisesRegex(pool_rows_torch.Wrong, "off by", msg=fault.__name__):
                    task.checker.error(self.output(forward, task))

        def other_scores(qkv, shape, core):
            return attend(qkv * 2, shape, core) / 2
        for task, of in self.tasks:
            with self.assertRaisesRegex(pool_rows_torch.Wrong, "off by", msg=str(of)):
                task.checker.error(self.output(task.tuned(OPERATORS._replace(attend=other_scores)), task))

    def test_an_index_that_is_wrong_is_noticed(self):
        task = self.backbones()[0]
        right = self.output(task.tuned(OPERATORS), task)

        def with_level(number, **replaced):
            levels = list(right["levels"])
            levels[number] = {**levels[number], **replaced}
            return {**right, "levels": levels}

        flipped = right["levels"][0]["order"].flip(1)
        slots, clusters = right["levels"][0]["slots"].flip(1), {"cluster": right["pools"][0]["cluster"].flip(0)}
        table = right["levels"][0]["table"].clone()
        table[5, 13] = table.shape[0]
        stem = right["stem"].clone()
        stem[3, 62] = 0
        for wrong, text in ((with_level(0, order=flipped), "level 0: order"),
                            (with_level(2, cell=right["levels"][2]["cell"] + 1), "level 2: cell"),
                            (with_level(1, position=right["levels"][1]["position"] + 1e-3), "level 1: position"),
                            (with_level(0, slots=slots), "level 0: slots"), (with_level(0, table=table), "level 0: table"),
                            ({**right, "pools": [clusters, *right["pools"][1:]]}, "level 0: cluster"),
                            ({**right, "stem": stem}, "stem"), ({**right, "out": right["out"].float()}, "expected bf16")):
            with self.assertRaisesRegex(pool_rows_torch.Wrong, text):
                task.checker.error(wrong)

    def test_another_models_pass_is_not_ablates(self):
        for task, of in self.tasks:
            self.assertIsNotNone(task.oracle(), of)
            out, _ = task.oracle()
            task.checker.hold_to_oracle(out)
            with self.assertRaisesRegex(pool_rows_torch.Wrong, "from Ablate's own"):
                task.checker.hold_to_oracle(out.flip(0))

    def test_other_inputs_and_parameters_are_noticed(self):
        task = self.backbones()[0]
        with self.assertRaisesRegex(pool_rows_torch.Wrong, "other parameters"):
            task.published(SEED + 1)
        shape = {**task.shape, "stem_pairs": task.shape["stem_pairs"] + 1}
        with self.assertRaisesRegex(pool_rows_torch.Wrong, "pairs of the stem"):
            type(task)(task.bench, shape, (task.files, task.outputs))
        with self.assertRaisesRegex(bench_torch.Wrong, "parameters, the record says"):
            type(task)(task.bench, {**shape, "parameters": 7}, (task.files, task.outputs))


if __name__ == "__main__":
    unittest.main()
