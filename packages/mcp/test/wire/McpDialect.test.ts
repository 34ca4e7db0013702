import { assert, describe, it } from "@effect/vitest"
import * as McpDialect from "../../src/wire/McpDialect.ts"
import * as Revision from "../../src/wire/Revision.ts"
import * as Wire from "../../src/wire/RevisionCodec.ts"

describe("McpDialect", () => {
  it("follows the revision as it becomes known", () => {
    let wire: Wire.Wire | undefined
    const dialect = McpDialect.make(() => wire)
    const said = () => [dialect.batches, dialect.unreadableId]
    assert.deepStrictEqual(said(), ["refuse", "omit"])
    const byRevision = Revision.all.map((revision) => {
      wire = Wire.of(revision)
      return said()
    })
    assert.deepStrictEqual(byRevision, [
      ["refuse", "silent"],
      ["accept", "silent"],
      ["refuse", "silent"],
      ["refuse", "omit"],
      ["refuse", "omit"]
    ])
  })

  it("never cancels the handshake, and answers no cancelled request", () => {
    const { cancellation } = McpDialect.make(() => undefined)
    assert.deepStrictEqual(cancellation, {
      method: "notifications/cancelled",
      member: "requestId",
      reply: undefined,
      except: ["initialize"]
    })
  })
})
