"""How long a command takes to say what it can do: `webstrata --help` against `scrapy --help`.

Both start an interpreter, find their commands and print them; the promise is 0.3 s.
"""

from bench.frame import OURS, PEERS, Figure, Peer, Program, main

FIGURES = [
    Figure(
        name="start-help",
        ours=Program((str(OURS / "webstrata"), "--help")),
        theirs=Program((str(PEERS / "scrapy"), "--help"), in_input=True),
        peer=Peer("scrapy"),
        data="start",
    ),
    Figure(
        name="start-help-memory",
        ours=Program((str(OURS / "webstrata"), "--help")),
        theirs=Program((str(PEERS / "scrapy"), "--help"), in_input=True),
        peer=Peer("scrapy"),
        data="start",
        measure="peak",
        unit="bytes",
        rounds=5,
        quick_rounds=3,
    ),
]

if __name__ == "__main__":
    main(FIGURES)
