/** What is measured of MCP beyond the ordinary tests, in processes of their own. */
import { describe, it } from "vitest"
import { mcpWires, over } from "../src/subjects.ts"
import { answers } from "./support/echoes.ts"

const subjects = (await Promise.all(mcpWires.map(over))).flat()

describe("the rest of what is measured of MCP calls its tool, and leaves nothing open", () => {
  it.each(subjects.filter(({ name, wire }) => wire !== "mcp-mem" && name !== "mcp-http/parley"))("$name", answers)
})
