"""What a run found, as Python sees it: the command's record with its fields as attributes."""
import json
import pathlib
import tempfile
from typing import Any

from faultline import command


class Verdict:
    """Every field of the record is an attribute: `outcome`, `tensors`, `rungs`, `evidence`, `replay`, ...

    `passed` says whether nothing is wrong; `layer` and `mechanism` are the origin's, or None; `text` is the report for
    people. A Verdict is true when it passed.
    """

    def __init__(self, record: dict[str, Any], text: str) -> None:
        self.record = record
        self.text = text

    def __getattr__(self, name: str) -> Any:
        if name != "record" and name in self.record:
            return self.record[name]
        raise AttributeError(f"a verdict has no '{name}'; it has {', '.join(sorted(self.record))}")

    @property
    def passed(self) -> bool:
        return self.record["outcome"] == "pass"

    @property
    def layer(self) -> str | None:
        return self.record["origin"]["layer"]

    @property
    def mechanism(self) -> str | None:
        return self.record["origin"]["mechanism"]

    @property
    def case_line(self) -> str:
        return self.record["case"]

    def __bool__(self) -> bool:
        return self.passed

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<Verdict {self.outcome}: {self.case_line}>"


def of_run(arguments: list[str]) -> Verdict:
    """Runs the command `run` with these arguments."""
    with tempfile.TemporaryDirectory(prefix="faultline-") as folder:
        file = pathlib.Path(folder) / "verdict.json"
        result = command.run(["run", *arguments, "--record", str(file)])
        if not file.exists():
            raise command.CommandError(command.last_words(result))
        return Verdict(json.loads(file.read_text()), result.stdout)
