"""What the client can do, as it said in ``initialize``."""

from __future__ import annotations

from dataclasses import dataclass

from lsprotocol import types
from pygls.capabilities import get_capability


@dataclass(frozen=True, slots=True)
class ClientFeatures:
    """Optional features of a client; all False for the plainest one."""

    approve: bool = False
    diagnostics: bool = False
    configuration: bool = False
    register_configuration: bool = False
    progress: bool = False
    refresh_lenses: bool = False
    show_document: bool = False
    apply_edit: bool = False
    versioned_edits: bool = False


def features_of(capabilities: types.ClientCapabilities) -> ClientFeatures:
    """Read the declared capabilities; those below ``experimental.perdure`` are our own."""

    def declared(path: str) -> bool:
        return bool(get_capability(capabilities, path, False))

    return ClientFeatures(
        approve=_declares(capabilities.experimental, "approve"),
        diagnostics=_declares(capabilities.experimental, "diagnostics"),
        configuration=declared("workspace.configuration"),
        register_configuration=declared("workspace.did_change_configuration.dynamic_registration"),
        progress=declared("window.work_done_progress"),
        refresh_lenses=declared("workspace.code_lens.refresh_support"),
        show_document=declared("window.show_document.support"),
        apply_edit=declared("workspace.apply_edit"),
        versioned_edits=declared("workspace.workspace_edit.document_changes"),
    )


def _declares(experimental: object, name: str) -> bool:
    match experimental:
        case {"perdure": dict(own)}:
            return own.get(name) is True or isinstance(own.get(name), dict)
        case _:
            return False
