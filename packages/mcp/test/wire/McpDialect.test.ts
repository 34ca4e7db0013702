import { assert, describe, it } from "@effect/vitest"
import * as McpDialect from "../../src/wire/McpDialect.ts"
import * as Revision from "../../src/wire/Revision.ts"
import * as RevisionCodec from "../../src/wire/RevisionCodec.ts"

describe("McpDialect", () => {
  it("follows the revision as it becomes known", () => {
    let codec: RevisionCodec.RevisionCodec | undefined
    const dialect = McpDialect.make(() => codec)
    const said = () => [dialect.batches, dialect.unreadableId]
    assert.deepStrictEqual(said(), ["refuse", "omit"])
    const byRevision = Revision.all.map((revision) => {
      codec = RevisionCodec.of(revision)
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
