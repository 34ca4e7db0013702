/**
 * A skill that tells how to use the server.
 */
import * as McpSkills from "@parley/mcp-apps/McpSkills"
import * as Skill from "@parley/mcp-apps/Skill"
import * as Effect from "effect/Effect"

const instructions = `---
name: try-everything
description: How to try the tools, resources and prompts of this server one after the other.
license: MIT
metadata:
  version: "1.0"
---
# Try everything

1. List the tools, and call those that need no arguments.
2. Call the others as [the examples](references/arguments.md) show.
`

const examples = `# Arguments

- \`add_numbers\`: \`{ "a": 5, "b": 3 }\`
`

/** The extension, with one skill. */
export const extension: Effect.Effect<ReturnType<typeof McpSkills.serve>> = Effect.map(
  // These files are a skill.
  Effect.orDie(Skill.fromFiles([
    { path: "try-everything/SKILL.md", content: instructions },
    { path: "try-everything/references/arguments.md", content: examples }
  ])),
  (skills) => McpSkills.serve(skills)
)
