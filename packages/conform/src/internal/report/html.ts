/** A report as one HTML page that needs nothing else: no script, no font and no file beside it. */
import { escaped } from "./markup.ts"
import { type Entry, type Sheet } from "./Sheet.ts"

/** Writes the page. Entries with findings unfold. */
export const html = (sheet: Sheet): string =>
  `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escaped(sheet.title)}</title>
<style>${style}</style>
</head>
<body>
<h1>${escaped(sheet.title)}</h1>
<dl>${sheet.facts.map(([name, text]) => `<dt>${escaped(name)}</dt><dd>${escaped(text)}</dd>`).join("")}</dl>
<p class="summary">${escaped(sheet.summary)}</p>
${
    sheet.groups.map(({ entries, name }) => `<h2>${escaped(name)}</h2>\n<ul>\n${entries.map(item).join("\n")}\n</ul>`)
      .join("\n")
  }
</body>
</html>`

const item = (entry: Entry): string => {
  const { details, id, isSkipped, reason, section, state, title, weight } = entry
  const kind = isSkipped ? "skipped" : weight
  const head = `<b class="${kind}">${escaped(state)}</b> <code>${escaped(id)}</code> ${escaped(title)}`
    + (reason === undefined ? "" : ` <small>${escaped(reason)}</small>`)
  if (details.length === 0) return `<li>${head}</li>`
  const link = section === undefined ? "" : `<p><a href="${escaped(section)}">${escaped(section)}</a></p>`
  const findings = details.map((finding) =>
    `<dl>${
      finding.map(([name, text]) => `<dt>${escaped(name)}</dt><dd><pre>${escaped(text)}</pre></dd>`).join("")
    }</dl>`
  )
  return `<li><details${weight === "error" ? " open" : ""}><summary>${head}</summary>${link}${
    findings.join("<hr>")
  }</details></li>`
}

const style = `
:root{color-scheme:light dark;font:15px/1.5 system-ui,sans-serif}
body{max-width:70rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.3rem;overflow-wrap:anywhere}h2{font-size:1.1rem}
ul{list-style:none;padding:0}li{margin:.25rem 0}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem 1rem}dd{margin:0;min-width:0}
pre{margin:0;white-space:pre-wrap;overflow-wrap:anywhere}
b{display:inline-block;min-width:7rem}.error{color:#c62828}.warning{color:#b26a00}.none{color:#2e7d32}.skipped{opacity:.6}
summary{cursor:pointer}small{opacity:.7}details{border-left:3px solid #8884;padding-left:.7rem}
`
