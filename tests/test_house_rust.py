"""The house rules of the Rust side, kept true: rooms, bindings and layers."""

from __future__ import annotations

import re

from tests.test_house import PACKAGE, ROOT, rooms, shown, tracked

# what these rooms need of Rust lives in other crates, or they need none
ROOMS_WITHOUT_KERNELS = {"cli", "_core"}
# modules of the core that are not rooms of Python's
RUST_ALONE = {"bits", "python"}
# bindings for tests and benchmarks, which no wheel has
TEST_BINDINGS = {"testing"}
# Kernels that bindings name and that have no Python module of their name, each with the reason; all others
# have the name of the module that calls them.
KERNELS_WITHOUT_MODULE = {
    "crawl/config": "what run.py hands over; configuration.py makes it of the settings",
    "crawl/counters": "numbers of the engine, which run.py reads",
    "crawl/engine": "the threads of a crawl, which run.py starts",
    "crawl/frontier": "the hash of a host, which earlier.py needs before a crawl",
    "crawl/journal": "written by the engine, read by recovery.py after a crawl",
    "crawl/messages": "events of the engine, which run.py reads",
    "crawl/sieve": "the hash of a URL, for earlier.py and recovery.py",
    "invitro/facts": "web.py asks one web for all of it",
    "invitro/respond": "web.py asks one web for all of it",
    "invitro/site": "web.py asks one web for all of it",
    "invitro/spec": "web.py asks one web for all of it",
    "invitro/survey": "web.py asks one web for all of it",
    "invitro/words": "web.py asks one web for all of it",
    "search/analysis": "terms of texts and of queries, for index.py and segments.py",
    "search/best": "a parameter of a search in index.py",
    "search/scoring": "parameters of a search in index.py",
    "summaries/counting": "terms of texts, for build.py, query.py and other rooms",
    "summaries/sets": "compressed sets of numbers, for archive.py, subarchive.py and write.py",
    "web/manifest": "pictures of a web app's manifest, which css.py finds with those of style sheets",
}


def test_rooms_on_the_rust_side_are_rooms_of_the_python_side() -> None:
    rust = {path.parent.name for path in (ROOT / "rust" / "src").glob("*/mod.rs")} - RUST_ALONE
    assert rust <= rooms(), f"rooms in Rust alone: {rust - rooms()}; give them a folder in src/webstrata"
    assert not rust & ROOMS_WITHOUT_KERNELS, "these rooms decide, and have no loops per byte"


def test_every_binding_has_its_room_and_its_stub() -> None:
    exported = (ROOT / "rust" / "src" / "python" / "mod.rs").read_text()
    bound = set(re.findall(r'add_room\(module, "(\w+)"', exported))
    stubs = {path.stem for path in (PACKAGE / "_core").glob("*.pyi")} - {"__init__"} - TEST_BINDINGS
    assert bound, 'rust/src/python/mod.rs: rooms are added by add_room(module, "name", …)'
    assert bound == stubs, "each room of the core has a stub in _core/, and no other has"
    for room in bound:
        for path in (
            ROOT / "rust" / "src" / "python" / room / "mod.rs",
            ROOT / "rust" / "src" / room / "mod.rs",
        ):
            assert path.is_file(), f"{shown(path)} is missing: bindings and kernels of a room have its name"


def test_only_the_folder_of_bindings_knows_python() -> None:
    knowing = [
        shown(path)
        for path in tracked("rust/src/*.rs")
        if "rust/src/python/" not in path.as_posix() and re.search(r"\bpyo3\b|\bnumpy::", path.read_text())
    ]
    assert not knowing, f"move what knows PyO3 to rust/src/python/: {knowing}"


def rust_layers() -> dict[str, int]:
    """The height of each room of the core: Python's layers, and `bits` among them."""
    text = (ROOT / "pyproject.toml").read_text().partition("layers = [")[2].partition("]")[0]
    layers = [re.findall(r"\w+", line) for line in re.findall(r'"(.*)"', text)]
    layers.insert(layers.index(["collection"]), ["bits"])
    heights = {room: -nth for nth, layer in enumerate(layers) for room in layer}
    return {"python": 1} | heights


def rust_imports(room: str, depth: int, text: str) -> set[str]:
    """The other rooms that a module of the core names, by `crate` or by `super` out of its room."""
    code = re.sub(r"//.*", "", text)
    roots = r"\bcrate::" if depth == 0 else rf"\b(?:crate|super(?:::super){{{depth - 1},}})::"
    named = set(re.findall(roots + r"(\w+)", code))
    for match in re.finditer(roots + r"\{", code):
        level, item = 0, ""
        for character in code[match.end() :]:
            level += (character == "{") - (character == "}")
            if level < 0:
                break
            item += character if level == 0 else ""
        named |= {word.strip().partition(":")[0] for word in item.split(",")}
    return (named & set(rust_layers())) - {room}


def breaks_the_layers(room: str, imported: str) -> bool:
    heights = rust_layers()
    return heights[room] <= heights[imported]


def test_rooms_of_the_core_import_only_what_lies_below_them() -> None:
    source = ROOT / "rust" / "src"
    wrong = [
        f"{shown(path)} names {imported}"
        for path in tracked("rust/src/*/*.rs")
        for place in [path.relative_to(source)]
        for depth in [len(place.parts) - (path.name == "mod.rs")]
        for imported in rust_imports(place.parts[0], depth, path.read_text())
        if breaks_the_layers(place.parts[0], imported)
    ]
    assert not wrong, f"move what both need into a lower room, as rust/src/bits: {sorted(wrong)}"
    rooms_there = {path.parent.name for path in source.glob("*/mod.rs")}
    assert rooms_there <= set(rust_layers()), "give each room of the core a layer in pyproject.toml"


def test_the_check_of_the_layers_of_the_core_sees_every_way_to_name_a_room() -> None:
    violations = [
        "use crate::graph::bvgraph::BvGraph;",
        "use crate::{collection::CollectionError, graph::{arcs, bvgraph}};",
        "let rows = super::super::graph::arcs::sort(&arcs);",
        "use super::super::{graph};",
    ]
    for text in violations:
        assert "graph" in rust_imports("summaries", 2, text), text
    assert breaks_the_layers("summaries", "graph")
    assert breaks_the_layers("collection", "bits")
    assert breaks_the_layers("crawl", "summaries")
    assert breaks_the_layers("web", "python")
    assert not breaks_the_layers("summaries", "bits")
    for text in ("use super::graph::Lists; // crate::graph", "use crate::collection::{self, graph};"):
        assert "graph" not in rust_imports("summaries", 2, text), text


def modules_calling(room: str) -> set[str]:
    """Names of the Python modules and folders of a room, and of modules elsewhere that import its core."""
    folder = PACKAGE / room
    names = {path.stem if path.suffix == ".py" else path.name for path in folder.rglob("*")}
    return names | {
        path.stem
        for path in PACKAGE.rglob("*.py")
        if re.search(rf"from webstrata\._core(\.{room} import| import {room}\b)", path.read_text())
    }


def named_kernels(room: str) -> set[str]:
    """Modules of a room of the core that the bindings of the room name."""
    source = ROOT / "rust" / "src"
    there = {path.stem for path in (source / room).iterdir() if path.name != "mod.rs"}
    code = "".join(re.sub(r"//.*", "", path.read_text()) for path in (source / "python" / room).rglob("*.rs"))
    named = set(re.findall(rf"\bcrate::{room}::(\w+)", code))
    for listed in re.findall(rf"\bcrate::{room}::\{{([^;]*)\}};", code):
        named |= set(re.findall(r"\w+", listed))
    return named & there


def test_a_kernel_has_the_name_of_the_module_that_calls_it() -> None:
    bound = {path.name for path in (ROOT / "rust" / "src" / "python").iterdir() if path.is_dir()}
    assert bound
    different = {
        f"{room}/{kernel}" for room in bound for kernel in named_kernels(room) - modules_calling(room)
    }
    unknown = sorted(different - set(KERNELS_WITHOUT_MODULE))
    assert not unknown, f"rename it, or say in KERNELS_WITHOUT_MODULE why it cannot be: {unknown}"
    stale = sorted(set(KERNELS_WITHOUT_MODULE) - different)
    assert not stale, f"take it out of KERNELS_WITHOUT_MODULE: {stale}"


def test_bindings_have_the_name_of_what_they_bind() -> None:
    source = ROOT / "rust" / "src"
    wrong = [
        shown(path)
        for path in tracked("rust/src/python/*/*.rs")
        for room in [path.parent.name]
        if path.stem not in {"mod"} | modules_calling(room)
        and not list((source / room).glob(f"{path.stem}*"))
    ]
    assert not wrong, f"name them as the module that calls them, or as the kernel: {wrong}"


def test_no_message_of_the_core_spells_a_command() -> None:
    spelled = [
        f"{shown(path)}:{number}"
        for path in tracked("rust/src/*.rs")
        for number, line in enumerate(path.read_text().splitlines(), start=1)
        if re.search(r'"[^"]*`webstrata [a-z]', line)
    ]
    assert not spelled, f"name the part; the command line knows the command: {spelled}"
