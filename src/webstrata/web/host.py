"""Hosts and the registered domains they belong to, by the public suffix list.

A public suffix is a name under which anybody can register one (``uk``, ``co.uk``, ``github.io``); the
registered domain of a host is the suffix and one label more. A top level that is not listed is a suffix by
itself. The list is that of publicsuffix.org with its private section (``github.io``), compiled into the core.
"""

from __future__ import annotations

from webstrata._core import web as core


def registered_domain(host: str) -> str | None:
    """The registered domain of a host in lower case; None for an address, or a public suffix itself.

    Examples
    --------
    >>> registered_domain("www.example.co.uk")
    'example.co.uk'
    >>> registered_domain("alice.github.io")
    'alice.github.io'
    >>> registered_domain("co.uk"), registered_domain("192.0.2.1")
    (None, None)
    """
    return core.registered_domain(host.lower())


def registry_domain(host: str) -> str | None:
    """The registered domain by the suffixes of registries alone, without those of companies.

    Examples
    --------
    >>> registry_domain("alice.github.io"), registry_domain("www.example.co.uk")
    ('github.io', 'example.co.uk')
    """
    return core.registry_domain(host.lower())


def public_suffix(host: str) -> str | None:
    """The public suffix of a host in lower case; None for an address.

    Examples
    --------
    >>> public_suffix("www.example.co.uk")
    'co.uk'
    """
    return core.public_suffix(host.lower())
