"""A window of VS Code in a headless Chromium, used as a user uses it: palette, toasts, editors."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from tests.editors.vscode.code_server import SECONDS, wait_until

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Locator

_WIDTH, _HEIGHT = 1280, 800
_CHROMIUM = ("--no-first-run", "--disable-background-networking", "--disable-component-update")
_COLOURS_MS = 1000
_ANSWER_MS = 500
_LOOKS = 20
_READY = ".monaco-workbench .part.statusbar"
_INPUT = ".quick-input-widget:not([style*='display: none'])"
_TRANSCRIPT = '.monaco-editor[data-uri^="perdure:/"]'


class Window:
    """One window on one folder; every method waits for what it needs."""

    def __init__(self, context: BrowserContext, url: str, pictures: Path) -> None:
        """Open it; ``pictures`` is where screenshots go, unless the environment says where."""
        self.page = context.new_page()
        self._pictures = Path(os.environ.get("PERDURE_SCREENSHOTS", pictures))
        self.page.goto(url)
        self.page.locator(_READY).wait_for()

    def another(self) -> Window:
        """Open a second window on the same folder, as the same user."""
        return Window(self.page.context, self.page.url, self._pictures)

    # --- commands -----------------------------------------------------------------------------

    def run(self, title: str) -> None:
        """Choose a command in the palette by its whole title, as soon as it is offered."""
        wait_until(lambda: self._choose(title), f"the palette does not offer {title!r}")

    def offers(self, title: str) -> bool:
        """Whether the palette offers a command now."""
        self._open_palette(title)
        offered = self._row(title).is_visible()
        self.page.keyboard.press("Escape")
        return offered

    def prompt(self, text: str) -> None:
        """Send a prompt, by the palette."""
        self.run("Perdure: Prompt")
        self.answer(text)

    def answer(self, text: str) -> None:
        """Type into the input box that is open, and confirm."""
        field = self.page.locator(f"{_INPUT} input")
        field.fill(text)
        field.press("Enter")

    def pick(self, text: str) -> None:
        """Choose the first item of the quick pick that holds a text."""
        self.page.locator(f"{_INPUT} .monaco-list-row").filter(has_text=text).first.click()

    def keys(self, *keys: str) -> None:
        """Press keys, each with its modifiers, such as ``Control+End``."""
        for key in keys:
            self.page.keyboard.press(key)

    def open_file(self, name: str) -> None:
        """Open a file of the workspace by its name."""
        rows = self.page.locator(f"{_INPUT} .monaco-list-row").filter(has_text=name)

        def found() -> bool:
            self._ask("Control+P", name)
            # The list says that there is nothing until the search is over.
            for _ in range(_LOOKS):
                if rows.first.is_visible():
                    break
                self.page.wait_for_timeout(_ANSWER_MS)
            return self._click(rows.first)

        wait_until(found, f"the file {name!r}")

    def fix_problem(self, problem: str, fix: str) -> None:
        """Choose a quick fix of a problem."""
        self.open_fixes(problem)
        item = self.page.get_by_role("menuitem", name=fix)
        item.wait_for()

        def chosen() -> bool:
            # A click that comes right after a menu has opened does not count.
            if item.is_visible():
                item.click()
                self.page.wait_for_timeout(_ANSWER_MS)
            return not item.is_visible()

        wait_until(chosen, f"the choice of {fix!r}")

    def open_fixes(self, problem: str) -> None:
        """Open its quick fixes in the list of problems: an editor offers none of a transcript."""
        self.keys("Control+Shift+M")
        row = self.page.locator(".markers-panel .monaco-list-row").filter(has_text=problem)
        bulb = row.locator(".markers-panel-action-quickfix")

        def offered() -> bool:
            # They are asked for when the row gets the focus, and again only if it gets it again.
            row.click()
            self.keys("ArrowUp", "ArrowDown")
            self.page.wait_for_timeout(_ANSWER_MS)
            row.hover()
            return bulb.is_visible()

        wait_until(offered, f"a quick fix of {problem!r}")
        bulb.click()

    def reload(self) -> None:
        """Reload the window: extension host and server are new ones."""
        with self.page.expect_event("load"):
            self.run("Developer: Reload Window")
        self.page.locator(_READY).wait_for()

    # --- what is to be seen -------------------------------------------------------------------

    def toast(self, text: str) -> Locator:
        """The notifications that hold a text, shown at the moment."""
        return self.page.locator(".notification-toast").filter(has_text=text)

    def press_in_toast(self, text: str, button: str) -> None:
        """Press a button of the notification that holds a text."""
        toast = self.toast(text).first
        toast.get_by_role("button", name=button, exact=True).click()

    def close_toast(self, text: str) -> None:
        """Close the notification that holds a text, without an answer."""
        toast = self.toast(text).first
        toast.hover()
        toast.get_by_role("button", name="Clear Notification").click()

    def status_bar(self) -> str:
        """The text of the status bar."""
        return _plain(self.page.locator(_READY).inner_text())

    def transcript(self) -> str:
        """The lines of the session's document that are on the screen, empty where none is."""
        return self._lines(_TRANSCRIPT)

    def press_in_transcript(self, keys: str) -> None:
        """Click into the transcript and press keys there."""
        self.page.locator(f"{_TRANSCRIPT} .overflow-guard").click()
        self.keys(keys)

    def file(self, name: str) -> str:
        """The lines of a file in an editor that are on the screen."""
        return self._lines(f'.monaco-editor[data-uri$="/{name}"]')

    def diff(self) -> tuple[str, str]:
        """The lines of the diff editor that are on the screen, before and after."""
        return self._lines(".editor.original"), self._lines(".editor.modified")

    def problems(self) -> int:
        """How many errors and warnings the status bar counts."""
        counted = self.page.locator('[id="status.problems"]').inner_text()
        return sum(map(int, re.findall(r"\d+", counted)))

    def tree(self) -> list[str]:
        """The rows of all trees that are to be seen."""
        rows = self.page.locator(".pane-body .monaco-list-row")
        return [_plain(row) for row in rows.all_inner_texts()]

    def until_transcript(self, text: str) -> None:
        """Wait until the transcript shows a text."""
        wait_until(lambda: text in self.transcript(), f"{text!r} in the transcript")

    def until_status(self, text: str) -> None:
        """Wait until the status bar holds a text."""
        wait_until(lambda: text in self.status_bar(), f"{text!r} in the status bar")

    def dialogs(self) -> list[str]:
        """The texts of the modal dialogs."""
        return self.page.locator(".monaco-dialog-box").all_inner_texts()

    def screenshot(self, name: str) -> None:
        """Save what is to be seen as a picture of this name, a moment later: colours come last."""
        self.page.wait_for_timeout(_COLOURS_MS)
        self.page.screenshot(path=self._pictures / f"{name}.png")

    def _choose(self, title: str) -> bool:
        self._open_palette(title)
        return self._click(self._row(title))

    def _open_palette(self, title: str) -> None:
        self._ask("F1", f">{title}")

    def _ask(self, key: str, text: str) -> None:
        """Open an input box with a list below it by a key, and type a text into it."""
        field = self.page.locator(f"{_INPUT} input")

        def opened() -> bool:
            self.page.keyboard.press(key)
            self.page.wait_for_timeout(_ANSWER_MS)
            return field.is_visible()

        wait_until(opened, "the palette")
        field.fill(text)
        wait_until(lambda: self.page.locator(f"{_INPUT} .monaco-list-row").count(), "the palette")

    def _click(self, row: Locator) -> bool:
        """Choose an item of the list that is open, which is closed if there is no such item."""
        if row.is_visible():
            row.click()
            row.wait_for(state="hidden")
            return True
        self.page.keyboard.press("Escape")
        return False

    def _row(self, title: str) -> Locator:
        rows = self.page.locator(f"{_INPUT} .monaco-list-row")
        name = self.page.locator(".monaco-icon-label", has_text=re.compile(f"^{re.escape(title)}$"))
        return rows.filter(has=name)

    def _lines(self, place: str) -> str:
        found: list[tuple[float, str]] = self.page.locator(
            f"{place} .view-lines .view-line"
        ).evaluate_all("all => all.map(line => [line.offsetTop, line.textContent])")
        return "\n".join(_plain(text) for _, text in sorted(found))


@contextmanager
def browser(profile: Path, language: str) -> Iterator[BrowserContext]:
    """Run Chromium without a screen, for a VS Code in a language; it is gone at the end."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(
            profile,
            executable_path="/usr/bin/chromium",
            args=[*_CHROMIUM],
            chromium_sandbox=False,
            viewport={"width": _WIDTH, "height": _HEIGHT},
        )
        context.set_default_timeout(SECONDS * 1000)
        context.add_init_script(f"globalThis._VSCODE_NLS_LANGUAGE = '{language}'")
        try:
            yield context
        finally:
            context.close()


def _plain(text: str) -> str:
    return text.replace("\u00a0", " ").replace("\u200c", "").replace("\u200b", "")
