/** The files of a few skills. */
import type * as Skill from "@parley/mcp-apps/Skill"

export const pdf = `---
name: pdf
description: "Reads and fills PDF: all of them."
license: MIT
metadata:
  version: "1.0"
levels: [1, 2.5, true, null]
---
Look into references/.
`

export const guide = "Wie man Größen liest.\n"

export const files: ReadonlyArray<Skill.File> = [
  { path: "README.md", content: "of no skill" },
  { path: "greet/SKILL.md", content: "---\nname: greet\ndescription: Greets.\n---\nSay hello.\n" },
  { path: "acme/pdf/SKILL.md", content: pdf },
  { path: "acme/pdf/references/große Hilfe.md", content: guide },
  { path: "acme/pdf/logo.png", content: Uint8Array.from([0x89, 0xff, 0x00]) },
  { path: "acme/pdf/forms/SKILL.md", content: "---\nname: forms\ndescription: Fills forms.\n---\n" }
]
