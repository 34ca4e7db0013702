/**
 * Drawings of the pages as SVG: boxes, lines and words, 400 units wide.
 *
 * A column of a phone has 312 pixels, which leaves 12 for a letter of 16 units. A drawing brings its own background, so
 * that it can be read on any page, and follows the theme of the page, or of the system where a browser knows only that.
 */

export const width = 400

/** A point, from the upper left corner. */
export type Point = readonly [x: number, y: number]

export interface Drawing {
  /** The file below `docs/images/`, without its ending. */
  readonly name: string
  readonly title: string
  /** The content in words, for readers who cannot see the picture. */
  readonly description: string
  readonly height: number
  readonly parts: ReadonlyArray<string>
}

const style = `
text{font:16px system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;fill:#1f2328}
.card{fill:#f6f8fa}.box{fill:#fff;stroke:#57606a;stroke-width:1.5}.soft{fill:none;stroke:#8c959f;stroke-dasharray:5 4}
.line{fill:none;stroke:#57606a;stroke-width:1.5}.tip{fill:#57606a}.strong,.strong text{font-weight:600}.bar rect{fill:#8c959f}.ours rect{fill:#1f5f8b}.rule line{stroke:#57606a;stroke-dasharray:4 4}
.quiet,.quiet text{fill:#57606a}
.accent{stroke:#1f5f8b}.lost{stroke:#b42318}
text.accent,.tip.accent{fill:#1f5f8b;stroke:none}text.lost,.tip.lost{fill:#b42318;stroke:none}
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.card{fill:#161b22}.box{fill:#0d1117;stroke:#9198a1}
.line{stroke:#9198a1}.tip{fill:#9198a1}.quiet,.quiet text{fill:#aab2bb}.bar rect{fill:#6e7681}.ours rect{fill:#8cc4ea}.rule line{stroke:#9198a1}.accent{stroke:#8cc4ea}.lost{stroke:#ff8f84}
text.accent,.tip.accent{fill:#8cc4ea}text.lost,.tip.lost{fill:#ff8f84}}`

export const toSvg = ({ description, height, parts, title }: Drawing): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>${escaped(title)}</title>
<desc>${escaped(description)}</desc>
<style>${style}</style>
<defs>${["", "accent", "lost"].map(tip).join("")}</defs>
<rect class="card" width="${width}" height="${height}" rx="10"/>
${parts.join("\n")}
</svg>
`

const tip = (kind: string): string =>
  `<marker id="tip${kind}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">`
  + `<path class="tip ${kind}" d="M0 0 8 4 0 8z"/></marker>`

export const word = (
  [x, y]: Point,
  text: string,
  { anchor = "middle", kind = "" }: { readonly anchor?: "start" | "middle" | "end"; readonly kind?: string } = {}
): string => `<text x="${x}" y="${y}" text-anchor="${anchor}" class="${kind}">${escaped(text)}</text>`

export interface Box {
  readonly x: number
  readonly y: number
  readonly w: number
  readonly h: number
}

/** A box with lines of text, the first of which is its name. */
export const box = ({ h, w, x, y }: Box, lines: ReadonlyArray<string>, kind = ""): string => {
  const top = y + h / 2 - (lines.length - 1) * 10 + 5.5
  const words = lines.map((line, index) =>
    word([x + w / 2, top + index * 20], line, { kind: index === 0 ? "strong" : "quiet" })
  )
  return [`<rect class="box ${kind}" x="${x}" y="${y}" width="${w}" height="${h}" rx="6"/>`, ...words].join("\n")
}

/** A line through points, with a tip at its end. */
export const arrow = (points: ReadonlyArray<Point>, kind = ""): string =>
  `<path class="line ${kind}" d="M${points.map((point) => point.join(" ")).join("L")}" marker-end="url(#tip${kind})"/>`

/** A line from one point down or up to another, without corners. */
export const curve = ([x, y]: Point, [toX, toY]: Point, kind = ""): string => {
  const middle = (y + toY) / 2
  return `<path class="line ${kind}" d="M${x} ${y}C${x} ${middle} ${toX} ${middle} ${toX} ${toY}" marker-end="url(#tip${kind})"/>`
}

/** The same, which goes straight at an `x` from one height to another. */
export const detour = ([x, y]: Point, at: { x: number; from: number; to: number }, [toX, toY]: Point): string => {
  const [first, last] = [(y + at.from) / 2, (toY + at.to) / 2]
  return `<path class="line" d="M${x} ${y}C${x} ${first} ${at.x} ${first} ${at.x} ${at.from}V${at.to}`
    + `C${at.x} ${last} ${toX} ${last} ${toX} ${toY}" marker-end="url(#tip)"/>`
}

/** The point at which a line starts or ends at a box. */
export const bottom = ({ h, w, x, y }: Box, at = 0.5): Point => [x + w * at, y + h]
export const top = ({ w, x, y }: Box, at = 0.5): Point => [x + w * at, y]
export const left = ({ h, x, y }: Box, at = 0.5): Point => [x, y + h * at]
export const right = ({ h, w, x, y }: Box, at = 0.5): Point => [x + w, y + h * at]

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
