/** The reference server of the Model Context Protocol: one message per line. */
import { Contract, Method } from "@parley/contract"
import { NodeChildProcess } from "@parley/node"
import { Peer, Router } from "@parley/peer"
import { Dialect } from "@parley/protocol"
import { Effect, Schema, Stream } from "effect"
import { everything as program } from "../Programs.ts"
import type { Report } from "./Report.ts"

/** The dialect of the Model Context Protocol. */
export const dialect = Dialect.make({
  name: "mcp",
  cancellation: Dialect.cancelledNotification(["initialize"]),
  progress: {
    method: "notifications/progress",
    member: "progressToken",
    request: ["_meta", "progressToken"]
  },
  partialResults: undefined,
  traceContext: { in: "params", path: ["_meta"] },
  nullId: "refuse",
  batches: "refuse",
  unreadableId: "omit"
})

const ToolResult = Schema.Struct({ content: Schema.Array(Schema.Struct({ text: Schema.String })) })

/** The methods of the server that are called here. */
const Tools = Contract.make("Tools", {
  initialize: Method.make({
    params: {
      protocolVersion: Schema.String,
      capabilities: Schema.JsonObject,
      clientInfo: Schema.Struct({ name: Schema.String, version: Schema.String })
    },
    result: Schema.Struct({
      protocolVersion: Schema.String,
      serverInfo: Schema.Struct({ name: Schema.String, version: Schema.String })
    })
  }),
  "tools/list": Method.make({
    params: {},
    result: Schema.Struct({ tools: Schema.Array(Schema.Struct({ name: Schema.String })) })
  }),
  "tools/call": Method.make({
    params: { name: Schema.String, arguments: Schema.JsonObject },
    result: ToolResult
  })
})

const textOf = ({ content }: typeof ToolResult.Type) => content.map(({ text }) => text).join(" ")

/** The handshake, calls of tools with progress, and a call from the server. */
export const everything = (report: Report) =>
  Effect.gen(function*() {
    // It does not exit at the end of its input, so it gets a signal soon.
    const transport = yield* NodeChildProcess.makeTransport({ ...program, endGrace: "100 millis" })
    const router = yield* Router.make()
    yield* router.add("roots/list", () => Effect.succeed({ roots: [{ uri: "file:///demo", name: "the demo" }] }))
    const peer = yield* Peer.make(transport, { dialect, router })
    const server = Tools.client(peer)
    const tool = (name: string, args: Schema.JsonObject) => server["tools/call"]({ name, arguments: args })

    const initialized = yield* report.step(
      "start, initialize",
      Effect.map(
        server.initialize({
          protocolVersion: "2025-06-18",
          capabilities: { roots: {} },
          clientInfo: { name: "parley-demo", version: "0" }
        }),
        ({ protocolVersion, serverInfo }) => `${serverInfo.name} ${serverInfo.version}, revision ${protocolVersion}`
      ),
      /everything .* revision 2025-06-18$/
    )
    if (!initialized) return
    yield* report.step(
      "notification",
      Effect.as(peer.notify("notifications/initialized"), "notifications/initialized sent")
    )

    yield* report.step(
      "tools/list",
      Effect.map(
        server["tools/list"]({}),
        ({ tools }) => `${tools.length} tools: ${tools.slice(0, 3).map(({ name }) => name).join(", ")}, …`
      ),
      /^\d+ tools: .*echo/
    )

    yield* report.step(
      "tools/call",
      Effect.map(tool("echo", { message: "hi" }), (result) => `echo returned "${textOf(result)}"`),
      /"Echo: hi"$/
    )

    yield* report.step(
      "progress",
      Effect.gen(function*() {
        const seen: Array<Schema.Json | undefined> = []
        const params = { name: "trigger-long-running-operation", arguments: { duration: 0.3, steps: 3 } }
        const { progress } = yield* Contract.progress((onProgress) => server["tools/call"](params, { onProgress }))
        yield* Stream.runForEach(progress, (report) => Effect.sync(() => seen.push(Object(report).progress)))
        return `step ${seen.join(", ")} of 3, then the result`
      }),
      /^step 1, 2, 3 of 3/
    )

    yield* report.step(
      "call from the server",
      Effect.map(
        tool("get-roots-list", {}),
        (result) =>
          `the server called roots/list here, and got ${/file:\/\/\S+/.exec(textOf(result))?.[0] ?? "nothing"}`
      ),
      /file:\/\/\/demo$/
    )
  }).pipe(Effect.scoped)
