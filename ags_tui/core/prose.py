"""What the sentences of a task and plan name: paths, words of paths, dependencies (``formats.md`` §3).

``forbiddenChanges`` and ``stopConditions`` are prose. Only what can be read without guessing is read here:
Latin identifiers, paths, and the few words for dependencies. The rest is attested by a human.
"""

import re
import unicodedata

from ags_tui.core.light import lru_cache

_LETTER = "A-Za-zÀ-ÖØ-öø-ɏ"
_RUN = re.compile(rf"[{_LETTER}0-9_.~*?\[\]@+/-]+")
_FILE = re.compile(rf"[{_LETTER}0-9_*.-]+\.[A-Za-z][A-Za-z0-9]{{0,9}}")
_WORD = re.compile(rf"[{_LETTER}][{_LETTER}0-9]*(?:[_-][{_LETTER}0-9]+)*")
_LETTERS = re.compile(rf"[{_LETTER}]")
_PART = re.compile(rf"[A-Z]+(?![a-z])|[{_LETTER}][a-zà-öø-ÿ0-9]*|[0-9]+")
_SEPARATOR = re.compile(r"[\s_.+-]+")

_ORDINARY_TEXT = """
abort about above action after again agent allow allowed already also always and another any anything
appear approval approve are avoid because been before being below between both branch break build but can
cannot cause change changed changes changing check code command commit complete condition could create
created creating delete deleted deleting did does doing done during each edit edited editing either else
error errors even every everything exist existing exists extra fail failed fails failure feature file
files find first fixed folder folders for from had halt has have having human inside instead into
introduce issue its just keep kept lead least less like line lines longer made make making many may might
modified modify modifying more most move much must necessary need needed needs never next none nor not
nothing now off one only other otherwise our out outside over own part path paths per plan planned please
possible problem project public reach rename repo repository request require required requires result
results review rewrite same scope see should since some something source still stop stopped such sure task
tasks test testing tests than that the their them then there these they thing this those through time
times too touch touched touching twice two under unless until update updated updates updating used user
users using very via want was when where whether which while who why will with within without work write
written yes yet you your
"""

ORDINARY = frozenset(_ORDINARY_TEXT.split())
"""Words of English prose that name nothing by themselves; in a path (``src/test/``) they are still read."""

COMPANIONS = frozenset({"test", "tests", "spec", "specs", "mock", "mocks", "stub", "stubs", "fake", "fakes"})
"""Parts behind a name that make another thing of it: ``NetworkClientTests`` is not ``NetworkClient``."""

_DEPENDENCY_WORDS = re.compile(
    r"라이브러리|의존성|종속성|패키지|\b(?:dependenc(?:y|ies)|librar(?:y|ies)|packages?)(?![\w/])",
    re.IGNORECASE,
)

_DEPENDENCY_FILES_TEXT = """
.gitmodules bower.json build.gradle build.gradle.kts build.sbt build.sc bun.lock bun.lockb cabal.project
cabal.project.freeze cargo.lock cargo.toml cartfile cartfile.resolved composer.json composer.lock
conan.lock conanfile.py conanfile.txt conda-lock.yml constraints.txt cpanfile cpanfile.snapshot deno.json
deno.jsonc deno.lock deps.edn directory.packages.props dune-project elm.json environment.yaml
environment.yml flake.lock flake.nix gemfile gemfile.lock gems.locked gems.rb go.mod go.sum go.work
go.work.sum gradle.lockfile jsr.json libs.versions.toml manifest.toml mix.exs mix.lock module.bazel
module.bazel.lock npm-shrinkwrap.json nuget.config package-lock.json package.json package.resolved
package.swift packages.config packages.lock.json paket.dependencies paket.lock pdm.lock pipfile
pipfile.lock pixi.lock pixi.toml pnpm-lock.yaml pnpm-workspace.yaml podfile podfile.lock poetry.lock
pom.xml project.clj project.toml pubspec.lock pubspec.yaml pylock.toml pyproject.toml rebar.config
rebar.lock renv.lock settings.gradle settings.gradle.kts setup.cfg setup.py shard.lock shard.yml
stack.yaml stack.yaml.lock uv.lock vcpkg.json workspace.bazel yarn.lock
"""

_DEPENDENCY_FILES = frozenset(_DEPENDENCY_FILES_TEXT.split())

_DEPENDENCY_NAMES = re.compile(
    r"(?:requirements|constraints)[\w.-]*\.(?:txt|in)|[\w.-]+\.(?:gemspec|podspec|cabal|csproj|fsproj|vbproj|opam|rockspec|nimble)"
)


@lru_cache(maxsize=4096)
def path_words(sentence: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Read a sentence.

    Returns:
        Patterns (any depth, file or folder) of what looks like a path or file name in it, and the other words
        that may name a segment: Latin, at least four letters, not ordinary prose; neighbours joined as well
        (``design system`` gives ``designsystem``). Words are in the form of :func:`word_match`.
    """
    text = unicodedata.normalize("NFC", sentence)
    found: list[str] = []
    words: dict[str, None] = {}
    last: tuple[int, str] | None = None
    for run in _RUN.finditer(text):
        token = run.group().rstrip(".")
        if "/" in token or _FILE.fullmatch(token):
            if _LETTERS.search(token):
                found.append(f"**/{token.removeprefix('~').removeprefix('./').strip('/')}/**")
            last = None
            continue
        for match in _WORD.finditer(text, run.start(), run.end()):
            word = match.group()
            if word.casefold() in ORDINARY or len(word) < 3:
                last = None
                continue
            if last is not None and not text[last[0] : match.start()].strip():
                words[_plain(last[1] + word)] = None
            last = (match.end(), word)
            if len(_LETTERS.findall(word)) >= 4:
                parts = _parts(word)
                words["".join(parts) if len(parts) > 1 else _plain(word)] = None
                if len(parts) > 1:
                    words["\0".join(parts)] = None
    return tuple(dict.fromkeys(found)), tuple(words)


def _plain(text: str) -> str:
    return _SEPARATOR.sub("", text).casefold()


def _parts(word: str) -> list[str]:
    """Parts of an identifier: ``NetworkClient`` and ``network_client`` are ``network``, ``client``."""
    return [part.casefold() for part in _PART.findall(word)]


def word_match(words: tuple[str, ...], path: str) -> bool:
    """Whether one of the words of :func:`path_words` names a segment of a path, or the beginning of a
    compound one.

    ``DesignSystem`` names ``DesignSystem/x``, ``design-system.css`` and ``DesignSystemButton.swift``, but not
    ``DesignSystemTests.swift``; a plain word names whole segments and stems only.
    """
    if not words:
        return False
    for segment in path.split("/"):
        name = segment.lstrip(".")
        stems = {name, name.rpartition(".")[0] or name, name.partition(".")[0]}
        if any(_plain(stem) in words for stem in stems):
            return True
        parts = _parts(name.partition(".")[0])
        for count in range(2, len(parts)):
            if "\0".join(parts[:count]) in words and parts[count] not in COMPANIONS:
                return True
    return False


def names_dependencies(sentence: str) -> bool:
    """Whether a sentence speaks of dependencies, so that manifest and lock files matter."""
    return _DEPENDENCY_WORDS.search(unicodedata.normalize("NFC", sentence)) is not None


def is_dependency_file(path: str) -> bool:
    """Whether a path is a manifest or lock file of a package manager."""
    folder, _, name = path.casefold().rpartition("/")
    if name in _DEPENDENCY_FILES or _DEPENDENCY_NAMES.fullmatch(name):
        return True
    return folder.rpartition("/")[2] == "requirements" and name.endswith((".txt", ".in"))
