"""A sweep by the workers of a cluster of dask.distributed. What a worker that is lost was at, another one does again.

Source: https://distributed.dask.org/en/stable/resilience.html
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any

from generator.questions.sweep.parts import TEMPORARY, GridPart, KeptPoints, all_points, packed, parts_of, reduced, written
from generator.questions.sweep.sweep_chunks import Chunk, Sweep
from generator.text.errors import SizeError
from generator.version import VERSION

_WAITING = 3  # parts that are handed out for each thread of a worker, so that none waits for the next one
_PATIENCE = 30  # seconds for the cluster to answer


class Cluster:
    """Workers that sweep.

    Args:
        client: of dask.distributed, connected.
        chunks: how many chunks make a part; None for as many as are of use.
    """

    def __init__(self, client: Any, chunks: int | None = None) -> None:
        self._client, self._chunks = client, chunks

    def reduced(self, sweep: Sweep, reduction: KeptPoints) -> Iterator[Chunk]:
        """Yield what remains of each part, in the order of the grid. Raises SizeError."""
        return self._in_order(sweep, lambda sent, part: self._submit(reduced, sent, part, reduction))

    def chunks(self, sweep: Sweep) -> Iterator[Chunk]:
        """Yield all points that pass, in the order of the grid. Raises SizeError."""
        for found in self._in_order(sweep, lambda sent, part: self._submit(all_points, sent, part)):
            yield from found

    def write(self, sweep: Sweep, folder: Path) -> Iterator[Chunk]:
        """Have workers write the points of each part into a file of Parquet, and yield how many there are of each.

        The names of the files have the order of the grid, and say how many files there are.

        Args:
            folder: it has to be there, and workers have to see it by this path.

        Raises:
            SizeError: as of `written`.
            OSError: a worker cannot write.
        """
        last = len(self._parts(sweep))
        name = f"part-{{:05}}-of-{last:05}.parquet"
        yield from self._in_order(sweep, lambda sent, part: self._submit(written, sent, part, folder / name.format(part.number + 1)))
        for left in folder.glob(f".*{TEMPORARY}"):  # by workers that were lost
            left.unlink(missing_ok=True)

    def _parts(self, sweep: Sweep) -> list[GridPart]:
        return parts_of(sweep) if self._chunks is None else parts_of(sweep, self._chunks)

    def _submit(self, work: Callable[..., Any], sent: Any, part: GridPart, *more: object) -> Any:
        return self._client.submit(work, sent, part, *more, pure=False)

    def _in_order(self, sweep: Sweep, submit: Callable[[Any, GridPart], Any]) -> Iterator[Any]:
        """Yield the results of all parts in their order, while as many as keep the workers busy are handed out."""
        sweep.require()  # here and not on each worker
        # A task and not data that is laid down there: what a lost worker held is then made again.
        sent = self._client.submit(bytes, packed(sweep), pure=False)
        parts = iter(self._parts(sweep))
        waiting: deque[Any] = deque()
        while True:
            waiting.extend(submit(sent, part) for part in islice(parts, max(0, self._room() - len(waiting))))
            if not waiting:
                return
            yield waiting.popleft().result()

    def _room(self) -> int:
        """Return how many parts may be handed out; workers come and go."""
        threads: dict[str, int] = self._client.nthreads()
        return _WAITING * max(1, sum(threads.values()))


@contextmanager
def connected(address: str) -> Iterator[Cluster]:
    """Connect with the scheduler of a cluster.

    Args:
        address: such as `tcp://127.0.0.1:8786`.

    Raises:
        SizeError: dask is not installed, nobody answers there, or workers have not this version.
    """
    if find_spec("distributed") is None:
        raise SizeError("clusters are those of dask, which is not installed", "install it with: pip install 'archsheet[dask]'")
    from distributed import Client, KilledWorker

    try:
        client: Any = Client(address, timeout=_PATIENCE, set_as_default=False)  # type: ignore[no-untyped-call]
    except (OSError, ValueError, TypeError) as error:
        note = "`dask scheduler` prints the address of one, such as tcp://192.168.0.1:8786"
        raise SizeError(f"--dask {address}: no scheduler answers there", note) from error
    with client:
        _require_workers(client, address)
        try:
            yield Cluster(client)
        except KilledWorker as error:
            note = "they may have too little memory"
            raise SizeError(f"--dask {address}: several workers have ended over the same points", note) from error


def _require_workers(client: Any, address: str) -> None:
    """Raise SizeError unless there are workers, with this version."""
    try:
        client.wait_for_workers(1, timeout=_PATIENCE)
    except TimeoutError as error:
        raise SizeError(f"--dask {address}: no worker is there", f"start some with: dask worker {address} --nthreads 1") from error
    try:
        versions = client.run(_version)
    except ModuleNotFoundError as error:
        raise SizeError(
            f"--dask {address}: a worker has not installed {error.name}", "install archsheet[dask] where workers run"
        ) from error
    for worker, version in versions.items():
        if version != VERSION:
            raise SizeError(f"--dask {address}: {worker} has version {version} of archsheet, and here it is {VERSION}")


def _version() -> str:
    return VERSION
