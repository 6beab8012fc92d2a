"""Command line: `python -m app` serves a board, `check` and `csv` print what was read, `export` writes it."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import orjson

from data_loaders.board import Board, BoardReader
from data_loaders.cache.place import default_cache_dir
from data_loaders.check import check_log, describe
from data_loaders.derive.episodes import as_json
from data_loaders.export import QueryError, check_names, csv_chunks, parse_query, resolved

from . import settings as options
from .settings import Settings
from .sources import source


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code (0 done, 1 nothing found, 2 wrong usage)."""
    parser = build_parser()
    args, rest = parser.parse_known_args(argv)
    if rest:
        args.parser.error(f"unrecognized arguments: {' '.join(rest)}")
    return int(args.run(args.parser, args))


def build_parser() -> argparse.ArgumentParser:
    """The whole command line; without a command it serves. What it parses has the `parser` of its command."""
    parser = argparse.ArgumentParser(
        prog="python -m app", description="Linked charts from the console logs of RL runs."
    )
    options.add_source_options(parser)
    options.add_server_options(parser)
    parser.set_defaults(run=_serve, parser=parser)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")

    check = commands.add_parser("check", help="what was read from each file, and what was not")
    check.add_argument("paths", nargs="*", type=Path, metavar="PATH", help="log files")
    check.add_argument("--json", action="store_true", help="print one JSON object")
    check.add_argument("--demo", action="store_true", help="check the demo logs")
    check.add_argument("--cache-dir", type=Path, metavar="DIR", help="where the demo logs are written")
    check.set_defaults(run=_check, parser=check)

    worker = commands.add_parser("worker", help="read logs for web processes that have the same --broker")
    options.add_source_options(worker)
    options.add_broker_option(worker)
    worker.add_argument(
        "--processes", type=int, default=os.cpu_count() or 1, metavar="N", help="(default: one per processor)"
    )
    worker.set_defaults(run=_worker, parser=worker)

    csv = commands.add_parser("csv", help="print the CSV of a filtered view")
    options.add_source_options(csv)
    csv.add_argument("--experiments", default="", metavar="E1,ID", help="labels or run ids (default: all)")
    csv.add_argument("--track", default="", metavar="2b", help="tracks (default: all)")
    csv.add_argument("--steps", default="", metavar="133-140", help="inclusive step range (default: all)")
    csv.add_argument(
        "--metrics", default="", metavar="M1,M2", help="canonical or logged names (default: all logged)"
    )
    csv.add_argument("--episode", default="", metavar="ID", help="steps of one, such as e3_drgrpo_2b:133")
    csv.add_argument("--wide", action="store_true", help="one column per metric")
    csv.add_argument("--smooth", default="", metavar="KIND", help="add a smoothed column, such as mean5")
    csv.add_argument("--superseded", action="store_true", help="also rows that a resume replaced")
    csv.add_argument("--seg", default="last", metavar="last|first|all", help="cells of steps trained again")
    csv.add_argument("--units", default="token", metavar="token|logged", help="units of entropy and KL")
    csv.set_defaults(run=_csv, parser=csv)

    episodes = commands.add_parser("episodes", help="list spike episodes of every run")
    options.add_source_options(episodes)
    episodes.add_argument("--json", action="store_true", help="print one JSON object")
    episodes.set_defaults(run=_episodes, parser=episodes)

    export = commands.add_parser("export", help="write the whole board as one file that opens offline")
    options.add_source_options(export)
    options.add_language_option(export)
    export.add_argument("--out", type=Path, required=True, metavar="FILE", help="such as board.html")
    export.set_defaults(run=_export, parser=export)
    return parser


def _serve(parser: argparse.ArgumentParser, args: argparse.Namespace) -> int:
    from .serve import serve  # the web stack is not needed by the other commands

    settings = options.from_arguments(args)
    if message := options.usage_error(parser, settings):
        print(message, file=sys.stderr)
        return 2
    return _started(parser, lambda: serve(settings))


def _worker(parser: argparse.ArgumentParser, args: argparse.Namespace) -> int:
    from .worker import work  # as with `serve`

    settings = options.from_arguments(args)
    if message := options.usage_error(parser, settings):
        print(message, file=sys.stderr)
        return 2
    return _started(parser, lambda: work(settings, args.processes))


def _started(parser: argparse.ArgumentParser, run: Callable[[], None]) -> int:
    try:
        run()
    except options.StartError as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 2
    return 0


def _check(parser: argparse.ArgumentParser, args: argparse.Namespace) -> int:
    paths = list(args.paths)
    if args.demo:
        folder = source(Settings(demo=True, cache_dir=args.cache_dir or default_cache_dir()), Path()).roots[0]
        paths += sorted(folder.rglob("*.log"))
    if not paths:
        parser.error("name at least one PATH, or --demo")
    entries = [check_log(path) for path in paths]
    if args.json:
        sys.stdout.buffer.write(orjson.dumps({"files": entries}, option=orjson.OPT_INDENT_2) + b"\n")
    else:
        for entry in entries:
            print(describe(entry))
    return 0 if all(entry["steps"] for entry in entries) else 1


def read_board(settings: Settings) -> Board:
    """Board of a command that prints: everything is read before it answers."""
    board = BoardReader(source(settings, Path.cwd()), settings.cache_dir).read()
    if board.remote:
        from components.text import said  # as with `serve`

        print("\n".join(said(note)[1] for note in board.remote), file=sys.stderr)
    return board


def _csv(parser: argparse.ArgumentParser, args: argparse.Namespace) -> int:
    settings = options.from_arguments(args)
    if message := options.usage_error(parser, settings):
        print(message, file=sys.stderr)
        return 2
    try:
        query = parse_query(
            {
                "exp": args.experiments,
                "track": args.track,
                "steps": args.steps,
                "metrics": args.metrics,
                "smooth": args.smooth,
                "wide": "1" if args.wide else "",
                "superseded": "1" if args.superseded else "",
                "seg": args.seg,
                "units": args.units,
                "ep": args.episode,
            }
        )
        board = read_board(settings)
        query = resolved(query, board.episode_spans())
        views = [run.view for run in board.runs]
        check_names(views, query, [track.id for track in board.source.config.tracks])
    except QueryError as error:
        parser.error(str(error))
    try:
        for chunk in csv_chunks(views, query):
            sys.stdout.buffer.write(chunk.encode("utf-8", "replace"))
        sys.stdout.buffer.flush()
    except BrokenPipeError:  # whoever reads, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _episodes(parser: argparse.ArgumentParser, args: argparse.Namespace) -> int:
    settings = options.from_arguments(args)
    if message := options.usage_error(parser, settings):
        print(message, file=sys.stderr)
        return 2
    found = [
        as_json(run.id, run.view.run.track, episode)
        for run in read_board(settings).runs
        for episode in run.episodes
    ]
    if args.json:
        sys.stdout.buffer.write(orjson.dumps({"episodes": found}, option=orjson.OPT_INDENT_2) + b"\n")
    for entry in [] if args.json else found:
        moved = ", ".join(f"{m['metric']} {m['direction']}" for m in entry["metrics"])
        print(
            f"{entry['experiment']}  steps {entry['start']}-{entry['end']}  peak {entry['peak']}  "
            f"severity {entry['severity']}  {entry['kind']}"
            f"{'' if entry['recovered'] else ', not recovered'}  {moved}"
        )
    return 0


def _export(parser: argparse.ArgumentParser, args: argparse.Namespace) -> int:
    from .static_page import static_page  # as with `serve`

    settings = options.from_arguments(args)
    if message := options.usage_error(parser, settings):
        print(message, file=sys.stderr)
        return 2
    board = read_board(settings)
    if not board.runs:
        print("export: no run found, nothing was written", file=sys.stderr)
        return 1
    page = static_page(board, settings.lang)
    try:
        replace_file(args.out, page)
    except OSError as error:
        print(f"export: {args.out}: {error.strerror or error}", file=sys.stderr)
        return 2
    print(f"{args.out}  {len(page) / 1e6:.1f} MB  {len(board.runs)} runs")
    return 0


def replace_file(path: Path, data: bytes) -> None:
    """Write a file as a whole or not at all: whoever reads it sees the old one or the new one."""
    building = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        building.write_bytes(data)
        building.replace(path)
    finally:
        building.unlink(missing_ok=True)


if __name__ == "__main__":
    sys.exit(main())
