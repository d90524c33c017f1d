"""Pages that stand alone: HTML with its style, for any screen, for light and dark, without scripts.

Stands for nothing of Java's.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Final

__all__ = ["legend", "page", "section", "table", "tiles"]

# The style alone may be in it: whoever opens it asks nobody for anything.
_HEAD: Final = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
"""

_STYLE: Final = """
:root{color-scheme:light dark;--ground:#fff;--panel:#f5f7f9;--text:#1b2127;--dim:#545e69;
--rule:#d5dbe1;--one:#0a5fa8;--two:#b04a00;--mark:#7a3fc4}
@media (prefers-color-scheme:dark){:root{--ground:#10151b;--panel:#19212a;--text:#e7edf3;
--dim:#a3afbb;--rule:#303a45;--one:#62aef7;--two:#f0944d;--mark:#cfa6ff}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--text);
font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",sans-serif}
main{max-width:1120px;margin:0 auto;padding:24px 16px 48px}
h1{font-size:1.6rem;line-height:1.25;margin:0 0 4px}
h2{font-size:1.2rem;margin:40px 0 8px}
p{margin:4px 0 12px;max-width:70ch}
.dim,figcaption,caption{color:var(--dim)}
code{font-size:.92em;overflow-wrap:anywhere}
dl.tiles{display:grid;grid-template-columns:repeat(auto-fill,minmax(148px,1fr));gap:8px;
margin:20px 0}
dl.tiles div{background:var(--panel);border:1px solid var(--rule);border-radius:8px;
padding:10px 12px;display:flex;flex-direction:column-reverse;justify-content:flex-end}
dl.tiles dt{font-size:.82rem;color:var(--dim);line-height:1.3}
dl.tiles dd{margin:0;font-size:1.3rem;font-weight:600;font-variant-numeric:tabular-nums}
figure{margin:8px 0 20px}
figcaption{font-size:.88rem;margin-top:6px}
svg{display:block;width:100%;height:auto}
svg.narrow{display:none}
@media (max-width:700px){svg.wide{display:none}svg.narrow{display:block}}
svg text{fill:var(--dim);font-size:12px;font-variant-numeric:tabular-nums}
text.x{text-anchor:middle}
text.y{text-anchor:end}
.grid{stroke:var(--rule);fill:none}
.axis{stroke:var(--dim);fill:none}
.line{fill:none;stroke-width:1.75;stroke-linejoin:round}
.line.one{stroke:var(--one)}
.line.two{stroke:var(--two);stroke-dasharray:6 3}
.area{fill-opacity:.16}
.area.one,.bar.one,.busy{fill:var(--one)}
.area.two{fill:var(--two)}
.life{fill:var(--one);fill-opacity:.4}
.mark{stroke:var(--mark);stroke-width:1.5;stroke-dasharray:2 3;fill:none}
ul.legend{display:flex;flex-wrap:wrap;gap:4px 18px;list-style:none;margin:0;padding:0}
ul.legend li{display:flex;align-items:center}
ul.legend svg{flex:none;width:26px;height:12px;margin-right:6px}
.table{overflow-x:auto;width:fit-content;max-width:100%;margin:8px 0 20px;
border:1px solid var(--rule);border-radius:8px}
.table:focus-visible{outline:2px solid var(--one);outline-offset:2px}
table{border-collapse:collapse;width:100%;font-size:.84rem;font-variant-numeric:tabular-nums}
caption{text-align:left;padding:8px 10px}
caption span{display:block;width:fit-content;max-width:min(1066px,100vw - 54px);position:sticky;
left:10px}
th,td{padding:5px 10px;text-align:left;white-space:nowrap;border-top:1px solid var(--rule)}
th.number,td.number{text-align:right}
thead th{background:var(--panel)}
tbody th{font-weight:500}
footer{margin-top:40px;font-size:.88rem}
"""

_SAMPLES: Final = {
    "one": '<path class="line one" d="M1 6H25"/>',
    "two": '<path class="line two" d="M1 6H25"/>',
    "mark": '<path class="mark" d="M13 0V12"/>',
    "life": '<rect class="life" x="1" y="1" width="24" height="10" rx="2"/>',
    "busy": '<rect class="busy" x="1" y="4" width="24" height="4" rx="2"/>',
}


def page(title: str, lead: str, parts: Iterable[str]) -> str:
    """Return a page.

    Parameters
    ----------
    title : str
        Plain text.
    lead : str
        HTML: what it is about.
    parts : iterable of str
        HTML of what follows.
    """
    return (
        f"{_HEAD}<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<main>\n"
        f"<header><h1>{escape(title)}</h1>\n<p>{lead}</p></header>\n"
        + "\n".join(parts)
        + "\n</main>\n</body>\n</html>\n"
    )


def section(title: str, *parts: str) -> str:
    """Return a part of a page with a heading; the parts are HTML."""
    name = "".join(each if each.isalnum() else "-" for each in title.lower())
    inside = "\n".join(part for part in parts if part)
    head = f'<h2 id="{name}">{escape(title)}</h2>'
    return f'<section aria-labelledby="{name}">{head}\n{inside}</section>'


def tiles(figures: Iterable[tuple[str, str]]) -> str:
    """Return the figures that are seen first: what each is, and its text."""
    inside = "".join(
        f"<div><dt>{escape(name)}</dt><dd>{escape(text)}</dd></div>" for name, text in figures
    )
    return f'<dl class="tiles">{inside}</dl>'


def legend(entries: Iterable[tuple[str, str]]) -> str:
    """Return what colours of a plot mean: of ``one``, ``two``, ``mark``, ``life`` or ``busy``."""
    items = (
        f'<li><svg viewBox="0 0 26 12" aria-hidden="true">{_SAMPLES[sample]}</svg>'
        f"{escape(text)}</li>"
        for sample, text in entries
    )
    return f'<ul class="legend">{"".join(items)}</ul>'


def table(
    caption: str, names: Sequence[str], rows: Iterable[Sequence[str]], texts: Iterable[int] = ()
) -> str:
    """Return a table; it is scrolled on narrow screens.

    Parameters
    ----------
    caption : str
    names : sequence of str
        Of the columns; the first one names rows.
    rows : iterable of sequence of str
    texts : iterable of int
        Which columns are no numbers, from 0.
    """
    plain = set(texts)
    kinds = ["" if index in plain else ' class="number"' for index in range(len(names))]
    head = "".join(
        f'<th scope="col"{kind}>{escape(name)}</th>'
        for name, kind in zip(names, kinds, strict=True)
    )
    body = "".join(
        f'<tr><th scope="row"{kinds[0]}>{escape(row[0])}</th>'
        + "".join(
            f"<td{kind}>{escape(text)}</td>" for text, kind in zip(row[1:], kinds[1:], strict=True)
        )
        + "</tr>"
        for row in rows
    )
    return (
        f'<div class="table" role="region" tabindex="0" aria-label="{escape(caption)}"><table>'
        f"<caption><span>{escape(caption)}</span></caption><thead><tr>{head}</tr></thead>"
        f"<tbody>{body}</tbody></table></div>"
    )
