"""Backbones and blocks trained in PyTorch on a CPU: gradients in fp64 are Ablate's own where its host computes them, both eager forms
and the operators that a compiler takes compute them, and what they leave out is noticed."""
import pathlib
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
import backbone_tasks  # noqa: E402
import exact_passes_torch  # noqa: E402
import pool_rows_torch  # noqa: E402
import ptv3_exact_torch  # noqa: E402
import published_layers_torch  # noqa: E402
import sdpa_torch  # noqa: E402
import sparse_rows_torch  # noqa: E402
import trained_backbone_torch  # noqa: E402
from backbone_on_cpu import OPERATORS, SEED  # noqa: E402


def kept_as_npy(folder, name, tensor):
    """As `ablate dev inputs` writes it, except the type, which nobody reads."""
    header = b"{'descr': '|u1', 'fortran_order': False, 'shape': (), }\n"
    content = bytes(tensor.contiguous().view(-1).view(torch.uint8).tolist())
    path = pathlib.Path(folder) / f"{name}.npy"
    path.write_bytes(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + content)
    return path


def trained(task, folder):
    """The same model and input, in training: weights that fold nothing, and a gradient of the output."""
    network, bench = task.network, task.bench
    parameters = published_layers_torch.Parameters(bench, network, SEED)
    matrices, vectors = torch.zeros(network.matrix_elements, dtype=torch.bfloat16), torch.zeros(network.vector_elements)
    for layer in network.layers:
        at, parts = network.places[layer.name], parameters.named[layer.name]
        if layer.kind == "linear":
            for first, of in zip((at.matrix, at.bias), parts):
                matrices[first:first + of.numel()] = of.view(-1).bfloat16()
        else:
            vectors[at.vectors:at.vectors + len(parts) * layer.outputs] = torch.cat(parts)
    channels = task.checker.exact.out.shape[1]
    gradient = torch.randn((network.points, channels), generator=torch.Generator().manual_seed(5)).bfloat16()
    made = {"matrices": matrices, "vectors": vectors, "out_gradient": gradient}
    files = {**task.files, **{name: kept_as_npy(folder, name, of) for name, of in made.items()}}
    return type(task)(bench, {**task.shape, "pass": backbone_tasks.TRAINING}, (files, {}))


def made_backbone(test, model):
    folder = tempfile.TemporaryDirectory()
    test.addClassCleanup(folder.cleanup)
    (task, _), *_ = backbone_on_cpu.tasks_of(folder.name, f"model={model}/.*batch=1/.*order_by=cut.*host=absent")
    return trained(task, folder.name)


def tuned(task):
    """With norms whose parameters' gradients are summed up in fp32, as on a GPU."""
    launch, functional = task.tuned(OPERATORS), torch.nn.functional
    launch.forward.__self__.functional = types.SimpleNamespace(**{
        **vars(functional), "layer_norm": lambda x, width, gamma, beta, epsilon: functional.layer_norm(
            x.float(), width, gamma.float(), beta.float(), epsilon).to(x.dtype)})
    return launch


class Passes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        # Each task holds the fp64 pass to Ablate's own output and gradients as it is made.
        blocks = backbone_on_cpu.tasks_of(folder.name, "channels=64/.*pass=training/.*host=absent", suite="block_quick",
                                          wanted=backbone_tasks.TRAINING)
        cls.blocks = [task for task, _ in blocks]
        cls.backbones = [made_backbone(cls, model) for model in ("small", "small_ptv3")]
        cls.tasks = [*cls.blocks, *cls.backbones]

    def output(self, forward, task):
        return task.launch_of(forward)()

    def test_there_are_blocks_and_backbones_of_both_families(self):
        self.assertEqual([task.shape["kind"] for task in self.blocks], ["flash3d", "ptv3"])
        for task in self.blocks:
            self.assertIsNotNone(task.oracle())
            self.assertIn(exact_passes_torch.ROWS, task.checker.exact.gradients)

    def test_all_parameters_have_a_gradient(self):
        for task in self.tasks:
            found = self.output(tuned(task), task)
            counted = sum(of.numel() for name, of in found["gradients"].items() if name != exact_passes_torch.ROWS)
            self.assertEqual(counted, task.parameters)
            self.assertFalse(found["out"].requires_grad)

    def test_the_tuned_form_is_as_close_as_rounding_makes_it(self):
        for task in self.tasks:
            error = task.checker.error(self.output(tuned(task), task))
            self.assertLess(error, 2 * max(task.checker.rounding().values()), task.shape)

    def test_the_published_form_has_the_same_parameters_and_is_accepted(self):
        for task in self.backbones:
            forward = task.published(SEED)
            forward.forward.__self__.functional = backbone_on_cpu.functional_of_a_gpu()
            self.assertLess(task.checker.error(self.output(forward, task)), 2 * max(task.checker.rounding().values()))

    def test_what_a_graph_reads_is_kept_with_it(self):
        for task in self.tasks:
            # Parameters are the task's.
            backbone_on_cpu.expect_a_graph_holds(self, task)

    def test_each_launch_has_the_same_gradients(self):
        task = self.backbones[0]
        forward = tuned(task)
        first, second = (self.output(forward, task)["gradients"] for _ in range(2))
        for name, of in first.items():
            self.assertTrue(torch.equal(of, second[name]), name)

    def test_what_is_left_out_is_noticed(self):
        def norms_as_in_inference(model):
            model.normed = lambda x, norm: torch.nn.functional.gelu(torch.nn.functional.batch_norm(x, *norm)).bfloat16()

        def gradients_that_stay_where_they_are(model):
            model.gathers.permuted = lambda x, to, back: x.index_select(0, to).detach() + (x - x.detach())

        task = self.backbones[0]
        for fault in (norms_as_in_inference, gradients_that_stay_where_they_are):
            launch = tuned(task)
            fault(launch.forward.__self__)
            with self.assertRaisesRegex(pool_rows_torch.Wrong, "off by", msg=fault.__name__):
                task.checker.error(self.output(launch, task))

    def test_gradients_that_are_wrong_are_noticed(self):
        for task in (self.blocks[0], self.backbones[0]):
            found = self.output(tuned(task), task)
            task.checker.error(found)
            for name, of in found["gradients"].items():
                zeros = {**found["gradients"], name: torch.zeros_like(of)}
                if exact_passes_torch.scale_of(task.checker.exact.gradients, name) > \
                        1.1 * task.checker.exact.gradients[name].norm().item():
                    continue  # rounding is all there is of it
                with self.assertRaisesRegex(pool_rows_torch.Wrong, f"gradient of {name} is off"):
                    task.checker.error({**found, "gradients": zeros})
            missing = dict(list(found["gradients"].items())[1:])
            with self.assertRaisesRegex(pool_rows_torch.Wrong, "missing"):
                task.checker.error({**found, "gradients": missing})

    def test_another_models_gradients_are_not_ablates(self):
        task = self.blocks[0]
        out, gradients = task.oracle()
        name = "encoder.0.0.fc1.weight"
        with self.assertRaisesRegex(pool_rows_torch.Wrong, f"Ablate's own gradient of {name}"):
            task.checker.hold_to_oracle({}, out, {**gradients, name: gradients[name].flip(0)})


def drawn(*shape, seed=1):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


class Gathers(unittest.TestCase):
    """Each against the gradient that autograd makes of the gather itself."""

    def expect_same(self, gathered, plain, x, **of):
        gradients = []
        for way in (gathered, plain):
            leaf = x.clone().requires_grad_()
            out = way(leaf)
            gradients.append((out.detach(), torch.autograd.grad(out, leaf, drawn(*out.shape, seed=7).to(out.dtype))[0]))
        for seen, exact in zip(*gradients):
            self.assertLess((seen - exact).abs().max().item(), 1e-5)

    def test_of_permuted_rows(self):
        to = torch.randperm(50, generator=torch.Generator().manual_seed(3))
        gathers = trained_backbone_torch.Gathers(torch)
        self.expect_same(lambda x: gathers.permuted(x, to, torch.argsort(to)), lambda x: x[to], drawn(50, 8))

    def test_of_clusters(self):
        gathers, cluster = trained_backbone_torch.Gathers(torch), torch.tensor([0, 1, 0, 2, 1])
        slots, has_slot = torch.tensor([[0, 2], [1, 4], [3, 3]]), torch.tensor([[True, True], [True, True], [True, False]])
        size = has_slot.sum(1)

        def mean(x):
            return torch.zeros((3, 4), dtype=x.dtype).index_add(0, cluster, x[:5]) / size[:, None]
        # Two rows of padding after the real ones.
        self.expect_same(lambda x: gathers.mean_of_runs(x, slots, has_slot, size, cluster), mean, drawn(7, 4))
        self.expect_same(lambda x: gathers.copied(x, slots, has_slot, cluster), lambda x: x[cluster], drawn(4, 4))

    def test_of_windows_whose_last_slots_repeat_rows(self):
        gathers, order = trained_backbone_torch.Gathers(torch), torch.tensor([4, 2, 0, 1, 3])
        rows, slots = torch.argsort(order), torch.cat([order, order[2:5]])
        self.expect_same(lambda x: gathers.to_slots(x, slots, rows), lambda x: x[slots], drawn(5, 4))
        self.expect_same(lambda x: gathers.to_rows(x, slots, rows), lambda x: x[rows], drawn(8, 4))

    def test_of_convolutions(self):
        cells = torch.unique(torch.randint(6, (90, 3), generator=torch.Generator().manual_seed(2)), dim=0).int()
        table = ptv3_exact_torch.table_of(torch, cells, 3)
        x, matrix, bias = drawn(cells.shape[0], 4), drawn(6, 27 * 4, seed=2), drawn(6, seed=3)
        trained_columns = sparse_rows_torch.trained_columns(torch)
        for number, of in enumerate((x, matrix, bias)):
            def with_leaf(convolution, leaf):
                parts = [x, matrix, bias]
                parts[number] = leaf
                return convolution(parts[0], table, *parts[1:])
            self.expect_same(lambda leaf: with_leaf(trained_columns, leaf),
                             lambda leaf: with_leaf(lambda *of: sparse_rows_torch.columns(torch, *of), leaf), of)


class Operators(unittest.TestCase):
    """As a compiler takes them, by the kernel that a CPU has."""

    shape = sdpa_torch.AttentionShape(3, 64, 2, 16)

    @classmethod
    def setUpClass(cls):
        cls.operator = sdpa_torch.TrainedOperator(torch, {"cpu": "_scaled_dot_product_flash_attention_for_cpu"})

    def gradient(self, attend):
        qkv = drawn(3 * 64, 3 * 32).bfloat16().requires_grad_()
        out = attend(qkv)
        return out.detach(), torch.autograd.grad(out, qkv, drawn(*out.shape, seed=2).bfloat16())[0]

    def test_attention_and_its_gradient_are_those_of_plain_arithmetic(self):
        seen = self.gradient(lambda qkv: self.operator(qkv, self.shape, "cpu"))
        exact = self.gradient(lambda qkv: backbone_on_cpu.attend(qkv, self.shape, "plain"))
        for of, right in zip(seen, exact):
            self.assertEqual(of.shape, right.shape)
            self.assertLess(exact_passes_torch.distance(of, right.double()), 1e-2)

    def test_the_operators_are_what_they_say(self):
        qkv = drawn(3 * 64, 3 * 32).bfloat16().requires_grad_()
        torch.library.opcheck(self.operator.definitions[0], (qkv, *self.shape, "cpu"),
                              test_utils=("test_schema", "test_faketensor", "test_autograd_registration"))

    def test_cores_of_a_gpu_have_the_arguments_that_are_given(self):
        """None has a default."""
        known = {"grad_out", "query", "key", "value", "out", "logsumexp", "attn_bias", "dropout_p", "is_causal", "cum_seq_q",
                 "cum_seq_k", "max_q", "max_k", "philox_seed", "philox_offset"}
        for name in sdpa_torch.KERNELS.values():
            schema = getattr(torch.ops.aten, f"{name}_backward").default._schema
            needed = {of.name for of in schema.arguments if not of.has_default_value()}
            self.assertLessEqual(needed, known)
            forward = getattr(torch.ops.aten, name).default._schema
            self.assertEqual([of.name for of in forward.returns[:6]],
                             ["output", "logsumexp", "cum_seq_q", "cum_seq_k", "max_q", "max_k"])

    def test_the_core_of_what_is_trained_is_right_in_its_gradient(self):
        launched = []

        def warm_up(launch):
            launched.append(launch())
            return 1, 1.0
        bench = types.SimpleNamespace(torch=torch, device="cpu", warm_up=warm_up)
        cores = sdpa_torch.Cores(bench, trains=True)
        qkv = drawn(3 * 64, 3 * 32).bfloat16()
        self.assertEqual(cores.time_us(qkv, self.shape, "default"), 1.0)
        (out, gradient), = launched
        qkv = qkv.detach()
        self.assertLess(sdpa_torch.error_of(qkv, self.shape, out, gradient), sdpa_torch.ACCEPTED_ERROR)
        self.assertGreater(sdpa_torch.error_of(qkv, self.shape, out, gradient.flip(1)), 0.5)


if __name__ == "__main__":
    unittest.main()
