"""The pages that the verb `serve` shows: one module per page, templates and static files.

A page is a function of a `Site` and typed parameters that returns a `PageView`: plain rows and facts. The
HTML template and the JSON document show the same view. `app` has the routes, `site` holds a collection open,
`drawing` computes the geometry of charts, which are SVG inside the page and need no script.
"""
