# SPDX-License-Identifier: BSD-3-Clause
"""Made-up records of the ranks of jobs, as the library writes them for a report."""
import json
import math

MIB = 1 << 20


def record(rank, ranks, **others):
    """Of a job that does next to nothing in MPI."""
    return {"bowline_report": 1, "rank": rank, "ranks": ranks, "host": f"n{rank * 4 // ranks}",
            "command": "./solver -n 4", "library": "0.9.0", "elapsed": 10.0, "waiting": 0.1, "transfer": 0.1,
            "sampled": True, "note": "",
            "sites": [], "traffic": [], "collectives": [], "sizes": [], "adapters": [],
            "files": {"reads": 0, "writes": 0, "bytes_read": 0, "bytes_written": 0},
            "memory": {"resident_peak": 100 * MIB, "over_time": []}, "counters": {}} | others


def slow_rank(rank, ranks, slow):
    """Of a job in which all ranks wait for one that computes longer, and neighbours exchange data."""
    noise = 0.3 * math.sin(rank * 12.9898)
    waiting = 0.15 if rank == slow else 4.5 + noise
    neighbours = sorted({(rank + step) % ranks for step in (-8, -1, 1, 8)} - {rank})
    elapsed = 12.3 + 0.02 * math.sin(rank)
    seconds = [0.5 * i for i in range(1, 25)]
    return record(
        rank, ranks, host=f"n{rank // 8}", command="./solver --grid 512x512x512 --steps 2000 --output <result> & more",
        elapsed=elapsed, waiting=waiting, transfer=0.9 + noise / 3,
        sites=[{"function": "MPI_Allreduce", "place": "solver.c:151", "waiting": 0.8 * waiting, "transfer": 0.2,
                "for": [[slow, 0.7 * waiting], [(rank + 3) % ranks, 0.1 * waiting]] if rank != slow else []},
               {"function": "MPI_Waitall", "place": "exchange.c:88", "waiting": 0.15 * waiting, "transfer": 0.6,
                "for": [[neighbours[0] if neighbours else -1, 0.12 * waiting], [-1, 0.03 * waiting]]},
               {"function": "MPI_Bcast", "place": "libsetup.so+0x12", "waiting": 0.05 * waiting, "transfer": 0.1,
                "for": [[0, 0.05 * waiting]]},
               *({"function": "MPI_Send", "place": f"input.c:{line}", "waiting": 0, "transfer": 0.001 * (30 - line)}
                 for line in range(8, 30) if rank == 0)],
        traffic=[[peer, (64 if abs(peer - rank) == 1 else 16) * MIB + 1000 * rank, 3 * MIB] for peer in neighbours],
        collectives=[{"operation": "allreduce", "algorithm": "slots", "calls": 2000},
                     {"operation": "bcast", "algorithm": "binomial", "calls": 12}],
        sizes=[[0, 12, 0], *([1 << power, 10 ** (power % 6), 0] for power in range(3, 16)), [1 << 20, 0, 2000]],
        adapters=[{"name": "shared memory", "sent": 300 * MIB, "fetched": 20 * MIB},
                  {"name": "mlx5_<0>:1", "sent": 80 * MIB, "fetched": 0}],
        files={"reads": 10, "writes": 2000, "bytes_read": 64 * MIB, "bytes_written": 8 * MIB},
        memory={"resident_peak": (1800 if rank == 0 else 520) * MIB,
                "over_time": [[s, (200 + 320 * min(1, s / 4) + (1280 * min(1, s / 9) if rank == 0 else 0)
                                   + 20 * math.sin(s)) * MIB] for s in seconds]},
        counters={"unexpected_messages": 900, "eager_messages": 4000, "single_copy_messages": 200,
                  "throttled_senders": 0, "path_changes": 2, "waited": int(waiting * 1e9)})


def write(folder, records):
    folder.mkdir(parents=True, exist_ok=True)
    for each in records:
        (folder / f"rank-{each['rank']}.json").write_text(json.dumps(each), encoding="utf-8")
    return folder


def slow_job(folder, ranks, slow=0, lost=()):
    chosen = [slow_rank(rank, ranks, slow) for rank in range(ranks) if rank not in lost]
    return write(folder, chosen)
