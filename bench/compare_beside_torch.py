"""What PyTorch's rules cost beside the verdict, in one run: python bench/compare_beside_torch.py [compare_bench]

compare_bench says what the verdict over 64 Mi elements costs and what a plain read of both tensors does; here the same
sizes and bounds go through torch.allclose, torch.testing.assert_close and torch._dynamo.utils.same, on one thread, in
processor time, the least of three. Every row is a multiple of the plain read.
"""

import json
import os
import subprocess
import sys
import time

import torch
from torch._dynamo.utils import same

ELEMENTS = 64 << 20
TYPES = {"f32": (torch.float32, 1.3e-6), "bf16": (torch.bfloat16, 1.6e-2), "f16": (torch.float16, 1e-3)}


def verdicts(program):
    """Milliseconds by benchmark, of the verdict and of a plain read."""
    said = subprocess.run([program, "--benchmark_format=json"], stdout=subprocess.PIPE, check=True).stdout
    return {row["name"].split("/iterations")[0]: row for row in json.loads(said)["benchmarks"]}


def tensors(dtype):
    """Normal numbers, and the same with a step of one place in every fifth."""
    generator = torch.Generator().manual_seed(1)
    reference = torch.randn(ELEMENTS, generator=generator, dtype=torch.float32).to(dtype)
    actual = reference.clone()
    whole = torch.int32 if dtype == torch.float32 else torch.int16
    actual.view(whole)[::5] ^= 1
    return actual, reference


def processor_ms(call):
    times = []
    for _ in range(3):
        start = time.process_time()
        call()
        times.append((time.process_time() - start) * 1e3)
    return min(times)


def main():
    torch.set_num_threads(1)
    here = os.path.dirname(os.path.abspath(__file__))
    program = sys.argv[1] if len(sys.argv) > 1 else os.path.join(here, "../build/release/bench/compare_bench")
    rows = verdicts(program)
    print(f"{'64 Mi elements, one thread':36}" + "".join(f"{name:>22}" for name in TYPES))
    columns = {}
    for name, (dtype, relative) in TYPES.items():
        legal, wrong, equal = (rows[f"verdict/{name}/{kind}"] for kind in ("legal", "wrong", "equal"))
        read = legal["read_ms"]
        actual, reference = tensors(dtype)
        rules = {
            "plain read of both": read,
            "verdict, an ulp off in a fifth": legal["real_time"],
            "verdict, equal": equal["real_time"],
            "verdict, 1 in 10 000 wrong": wrong["real_time"],
            "torch.allclose": processor_ms(lambda: torch.allclose(actual, reference, relative, 1e-5)),
            "torch.testing.assert_close": processor_ms(
                lambda: torch.testing.assert_close(actual, reference, rtol=relative, atol=1e-5)
            ),
            "torch._dynamo.utils.same": processor_ms(
                lambda: same(reference, actual, reference.to(torch.float64), tol=relative)
            ),
        }
        columns[name] = {rule: f"{ms:9.1f} ms {ms / read:6.2f} x" for rule, ms in rules.items()}
        del actual, reference
    for rule in columns["f32"]:
        print(f"{rule:36}" + "".join(f"{columns[name][rule]:>22}" for name in TYPES))
    small = "".join(f"{rows[f'verdict/{name}/small']['cpu_time']:19.2f} us" for name in TYPES)
    print(f"{'verdict, 1024 elements':36}{small}")


if __name__ == "__main__":
    main()
