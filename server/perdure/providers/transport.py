"""What requests of all kinds have in common: the key, small answers, failures in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, assert_never

from perdure.providers.origin import Origin
from perdure.providers.vendors import WireProtocol

if TYPE_CHECKING:
    import httpx

API_VERSION = "2023-06-01"
_MOST_BYTES = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Resource:
    """An answer that was read as a whole; of one that is too long only the beginning."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def is_success(self) -> bool:
        """Whether the status is one of the 200s."""
        return 200 <= self.status < 300


def key_headers(protocol: WireProtocol, key: str) -> dict[str, str]:
    """Return the headers of a protocol, with the key if there is one."""
    match protocol:
        case "openai":
            return {"authorization": f"Bearer {key}"} if key else {}
        case "anthropic":
            headers = {"anthropic-version": API_VERSION}
            return headers | {"x-api-key": key} if key else headers
        case _:
            assert_never(protocol)


async def fetch(client: httpx.AsyncClient, url: str, headers: Mapping[str, str]) -> Resource:
    """Get a resource. Raises the errors of httpx."""
    body = bytearray()
    async with client.stream("GET", url, headers=headers) as response:
        async for data in response.aiter_bytes():
            body += data
            if len(body) > _MOST_BYTES:
                break
    return Resource(response.status_code, response.headers, bytes(body))


@contextmanager
def failures_in_words(origin: Origin) -> Iterator[None]:
    """Turn a connection that fails before an answer comes into a ProviderError."""
    import httpx

    try:
        yield
    except httpx.ConnectError as error:
        words = f"Cannot connect to {origin.host}: {error}"
        raise origin.failure("network", words) from error
    except httpx.ConnectTimeout as error:
        words = f"Cannot connect to {origin.host}: no answer"
        raise origin.failure("network", words) from error
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        words = (
            f"The connection to {origin.host} broke before an answer came; "
            "whether it did any work is unknown"
        )
        raise origin.failure("network", words) from error
