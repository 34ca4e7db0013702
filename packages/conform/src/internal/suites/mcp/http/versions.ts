/** The headers that repeat what a request says. */
import * as McpError from "@parley/mcp/wire/McpError"
import { ErrorCode } from "@parley/protocol/shared"
import * as Effect from "effect/Effect"
import { NotApplicable } from "../../../../Suite.ts"
import { refusedWith } from "../modern/envelope.ts"
import * as Rule from "../Rule.ts"
import { askWith } from "./sessions.ts"

const version = Rule.onHttp(Rule.legacy, {
  id: "mcp/http/version-header",
  title: "A request whose MCP-Protocol-Version header is none is refused with 400",
  level: "must",
  section: Rule.section("2025-11-25", "basic/transports#protocol-version-header")
}, (dialogue) =>
  Effect.gen(function*() {
    const { features, revision } = dialogue.accord.codec
    if (features.protocolVersionHeader === "none") {
      return yield* new NotApplicable({ reason: `${revision} has no such header` })
    }
    const { heads, status } = yield* askWith(yield* dialogue.shared, { "mcp-protocol-version": "1999-12-31" })
    return status === 400 ? [] : [Rule.finding("the status 400", `the status ${status}`, heads)]
  }))

const modernRule = (
  info: { readonly id: string; readonly title: string; readonly section: string },
  status: number,
  code: number,
  method: string,
  headers: Readonly<Record<string, string | undefined>>
) =>
  Rule.onHttp(Rule.modern, { ...info, level: "must" }, (dialogue) =>
    Effect.gen(function*() {
      // None of these names a tool that a server has, so that nothing runs whatever it does.
      const params = method === "tools/call" ? { name: "parley_conform_unknown_tool", arguments: {} } : {}
      if (method === "tools/call") yield* Rule.needs(dialogue, "tools")
      const reply = yield* (yield* dialogue.shared).request(method, params, { headers })
      return yield* refusedWith(reply, status, code)
    }))

const encoded = Rule.onHttp(Rule.modern, {
  id: "mcp/http/name-encoded",
  title: "An Mcp-Name header in Base64 is decoded before it is compared",
  level: "must",
  section: Rule.section("2026-07-28", "basic/transports/streamable-http#value-encoding")
}, (dialogue) =>
  Effect.gen(function*() {
    yield* Rule.needs(dialogue, "tools")
    // A name that a header cannot carry as it is. No server has such a tool.
    const params = { name: "parley_conform_unknown_tööl", arguments: {} }
    const reply = yield* (yield* dialogue.shared).request("tools/call", params)
    const { outcome } = reply
    return outcome._tag === "Error" && outcome.code === mismatch
      ? [
        Rule.finding(
          "no error -32020, because the header names the tool of the body",
          outcome.message,
          reply.http?.heads
        )
      ]
      : []
  }))

const validation = Rule.section("2026-07-28", "basic/transports/streamable-http#server-validation")

const mismatch = McpError.HeaderMismatch

export const rules: ReadonlyArray<Rule.McpRule> = [
  version,
  modernRule(
    {
      id: "mcp/http/method-mismatch",
      title: "A request whose Mcp-Method header names another method is refused with 400 and -32020",
      section: validation
    },
    400,
    mismatch,
    "server/discover",
    { "mcp-method": "tools/list" }
  ),
  modernRule(
    {
      id: "mcp/http/method-missing",
      title: "A request without an Mcp-Method header is refused with 400 and -32020",
      section: validation
    },
    400,
    mismatch,
    "server/discover",
    { "mcp-method": undefined }
  ),
  modernRule(
    {
      id: "mcp/http/name-mismatch",
      title: "A call whose Mcp-Name header names another tool is refused with 400 and -32020",
      section: validation
    },
    400,
    mismatch,
    "tools/call",
    { "mcp-name": "parley_conform_other_tool" }
  ),
  encoded,
  modernRule(
    {
      id: "mcp/http/name-missing",
      title: "A call without an Mcp-Name header is refused with 400 and -32020",
      section: validation
    },
    400,
    mismatch,
    "tools/call",
    { "mcp-name": undefined }
  ),
  modernRule(
    {
      id: "mcp/http/version-mismatch",
      title: "A request whose MCP-Protocol-Version header differs from its body is refused with 400 and -32020",
      section: Rule.section("2026-07-28", "basic/transports/streamable-http#protocol-version-header")
    },
    400,
    mismatch,
    "server/discover",
    { "mcp-protocol-version": "2025-11-25" }
  ),
  modernRule(
    {
      id: "mcp/http/unknown-method",
      title: "A method that the server does not know is refused with 404 and -32601",
      section: Rule.section("2026-07-28", "basic/transports/streamable-http#protocol-version-header")
    },
    404,
    ErrorCode.MethodNotFound,
    "parley/conform/unknown",
    {}
  )
]
