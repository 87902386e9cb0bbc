"""The Python of docs/python.md runs as it stands there."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

PAGE = pathlib.Path(__file__).resolve().parents[1] / "docs/python.md"


def blocks() -> list[str]:
    parts = PAGE.read_text().split("```")
    return [part.removeprefix("python\n") for part in parts if part.startswith("python\n")]


class Page(unittest.TestCase):
    def test_every_block_runs(self):
        self.assertEqual(len(blocks()), 2)
        for block in blocks():
            with tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder) / "block.py"
                path.write_text(block)
                done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, block + done.stderr)


if __name__ == "__main__":
    unittest.main()
