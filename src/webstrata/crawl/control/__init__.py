"""Control of a running crawl: a socket in its folder, asked in lines of JSON.

The process that crawls listens at ``crawl/control.sock`` in the folder of the snapshot, a Unix socket that
only its owner may use. It is there from the first request to the last part that is built, and the one of a
process that died is replaced. On request it listens at a port of this machine too; whoever asks there must
know a token.

A request is a line, a JSON object with ``do`` and what belongs to it; the answer is a line as well, with
``"ok": true`` and what was asked for, or ``"ok": false`` and a sentence in ``error``, whose exception is
named in ``kind``. A connection may ask as often as it likes.

=============  ==================  ===================================================================
``do``         with                answer
=============  ==================  ===================================================================
``status``                         ``status``: state, counters, rates, settings (`Control.status`)
``metrics``                        ``text``: the same for Prometheus (see `metrics`)
``pause``                          ``state``; no visit begins until ``resume``
``resume``                         ``state``
``stop``       ``now``, optional   ``state``; visits under way are brought to their end, or given up
``set``        ``name``, ``value``  ``name``, ``value``: a setting that can change while it runs
``blacklist``  ``what``            ``what``: a host or an address that is asked for nothing any more
``flush``                          ``captures``: how many who reads the files of the crawl now sees
=============  ==================  ===================================================================

At a port each request has a ``token``. A request ``GET /metrics HTTP/1.1`` is answered there as Prometheus
wants it, with the token in ``Authorization: Bearer …``.
"""

from webstrata.crawl.control.client import Client, connect, connect_to
from webstrata.crawl.control.listener import Listener, parse_place
from webstrata.crawl.control.requests import PROTOCOL, SOCKET, Control

__all__ = ["PROTOCOL", "SOCKET", "Client", "Control", "Listener", "connect", "connect_to", "parse_place"]
