import { assert, describe, it } from "@effect/vitest"
import { StderrLines } from "../../../src/internal/mcp/gateway/StderrLines.ts"

const told = (chunks: ReadonlyArray<string>): ReadonlyArray<string> => {
  const all: Array<string> = []
  const lines = new StderrLines((line) => void all.push(line))
  for (const chunk of chunks) lines.add(chunk)
  lines.end()
  return all
}

describe("stderr of a server behind a gateway", () => {
  it("is told in whole lines, wherever its chunks end", () => {
    const text = "loading the catalogue\r\n\n  \nready\nbye"
    const expected = ["loading the catalogue", "ready", "bye"]
    for (let at = 0; at <= text.length; at++) {
      assert.deepStrictEqual(told([text.slice(0, at), text.slice(at)]), expected)
    }
    assert.deepStrictEqual(told([...text]), expected)
  })

  it("keeps no more than 4,096 characters of a line that does not end", () => {
    const all: Array<string> = []
    const lines = new StderrLines((line) => void all.push(line))
    for (let chunk = 0; chunk < 100; chunk++) lines.add("x".repeat(100))
    assert.deepStrictEqual(all.map(({ length }) => length), [4_096, 4_096])
  })
})
