/** The code of each error that leaves a server, in each revision, whatever made the error. */
import { assert, describe, it } from "@effect/vitest"
import { McpServer, McpTool } from "@parley/mcp"
import { Authentication, Deadline } from "@parley/middleware"
import { ErrorResponse, Session } from "@parley/peer"
import type { Middleware } from "@parley/peer/Handler"
import { BadFrame, ErrorReply } from "@parley/protocol/shared"
import { Context, Effect, Fiber, Option, References, type Scope } from "effect"
import { TestClock } from "effect/testing"
import * as McpError from "../../src/wire/McpError.ts"
import * as Revision from "../../src/wire/Revision.ts"
import * as RevisionCodec from "../../src/wire/RevisionCodec.ts"
import { agreedOn } from "../server/support/call.ts"

const limits = { frame: 2_000, drain: 0 }

const quietly = Effect.provideService(References.MinimumLogLevel, "None")

class User extends Context.Service<User, string>()("test/User") {}

const fails = (code: number) => McpTool.make("tool", {}, () => Effect.fail(ErrorResponse.make(code, "It failed")))

const never = McpTool.make("tool", {}, () => Effect.never)

/** A call of the tool, as a client of the revision writes it. */
const callIn = (revision: Revision.Revision) =>
  JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: {
      name: "tool",
      arguments: {},
      ...(Revision.era(revision) === "modern" && {
        _meta: {
          "io.modelcontextprotocol/protocolVersion": revision,
          "io.modelcontextprotocol/clientCapabilities": {}
        }
      })
    }
  })

const connected = (
  revision: Revision.Revision,
  tool: McpTool.McpTool,
  middleware?: Middleware<ErrorResponse.ErrorResponse>
) =>
  Effect.map(
    McpServer.make({ name: "s", version: "1", features: [tool], ...(middleware && { middleware }) }),
    (server) =>
      server.connect(
        Revision.era(revision) === "modern" ? { era: "modern" } : { era: "legacy", record: agreedOn(revision) }
      )
  )

const codeOf = (reply: Option.Option<string>): number => Object(JSON.parse(Option.getOrThrow(reply))).error.code

/** The code with which a call of the tool is answered. */
const called = (
  revision: Revision.Revision,
  tool: McpTool.McpTool,
  middleware?: Middleware<ErrorResponse.ErrorResponse>
) =>
  Effect.gen(function*() {
    const { dialect, router } = yield* connected(revision, tool, middleware)
    const session = yield* Session.make({ dialect, router, limits })
    const answer = yield* Effect.forkChild(session.answer(callIn(revision)), { startImmediately: true })
    yield* TestClock.adjust("1 second")
    return codeOf(yield* Fiber.join(answer))
  })

/** Each error of ours: how it comes about, and its code where every code may be sent. */
const errors: ReadonlyArray<
  readonly [title: string, code: number, (revision: Revision.Revision) => Effect.Effect<number, unknown, Scope.Scope>]
> = [
  ["the deadline of a handler", -32002, (revision) => called(revision, never, Deadline.handler("200 millis"))],
  [
    "a caller that is not known",
    -32003,
    (revision) =>
      called(revision, never, Authentication.handler(User, () => Effect.fail(Authentication.unauthenticated())))
  ],
  [
    "a result that is too large",
    -32001,
    (revision) => called(revision, McpTool.make("tool", {}, () => Effect.succeed("x".repeat(limits.frame))))
  ],
  ["an error of a handler that is too large", -32001, (revision) =>
    called(
      revision,
      McpTool.make("tool", {}, () => Effect.fail(ErrorResponse.make(7, "It failed", "x".repeat(limits.frame))))
    )],
  ["a request that is too large", -32001, (revision) =>
    Effect.map(
      connected(revision, never),
      ({ dialect }) =>
        codeOf(
          Option.fromUndefinedOr(ErrorReply.toBadFrame(BadFrame.ofText("TooLarge", callIn(revision)), dialect))
        )
    )],
  ["a server that shuts down", -32000, (revision) =>
    Effect.gen(function*() {
      const { dialect, router } = yield* connected(revision, never)
      const session = yield* Session.make({ dialect, router, limits })
      const answer = yield* Effect.forkChild(session.answer(callIn(revision)), { startImmediately: true })
      yield* Effect.yieldNow
      yield* session.close
      return codeOf(yield* Fiber.join(answer))
    })],
  ...[-32000, -32001, -32002, -32010, -32019, -32042].map((code) =>
    [`a handler that fails with ${code}`, code, (revision: Revision.Revision) => called(revision, fails(code))] as const
  ),
  ...[-31000, -32020, -32602, -32603, -32050, 7].map((code) =>
    [`a handler that fails with ${code}`, code, (revision: Revision.Revision) => called(revision, fails(code))] as const
  )
]

/** Codes that the modern era forbids. */
const isForbidden = (code: number) => (code >= -32019 && code <= -32000) || code === -32042

describe("an error leaves with a code of its revision", () => {
  for (const [title, usual, provoke] of errors) {
    it.effect.each(Revision.all)(`${title}: %s`, (revision) =>
      Effect.gen(function*() {
        const code = yield* provoke(revision)
        const isModern = Revision.era(revision) === "modern"
        assert.strictEqual(code, isModern && isForbidden(usual) ? usual + 900 : usual)
        assert.isFalse(isModern && isForbidden(code))
      }).pipe(Effect.scoped, quietly))
  }

  it("no code of the revisions themselves is forbidden, or is moved", () => {
    const { errorCode } = RevisionCodec.latest
    const own = [
      McpError.HeaderMismatch,
      McpError.MissingClientCapability,
      McpError.UnsupportedRevision,
      McpError.Overloaded,
      McpError.InsufficientScope,
      McpError.OwnerGone,
      McpError.UpstreamFailed,
      McpError.NotApproved
    ]
    assert.deepStrictEqual(own.map(errorCode), own)
    const moved = Array.from({ length: 100 }, (_, at) => errorCode(-32000 - at))
    assert.lengthOf(new Set([...moved, ...own]), moved.length + own.filter((code) => code > -32000).length)
  })
})
