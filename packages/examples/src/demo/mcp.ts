/** A server of our own at one URL, for clients of both eras of MCP, and a server behind stdio. */
import { McpHttp, McpHttpClient, McpStdioClient } from "@parley/mcp"
import { NodeChildProcess, NodeHttp } from "@parley/node"
import { Effect, Schema, Stream } from "effect"
import { parleyMcp } from "../Programs.ts"
import * as TeaHouse from "../TeaHouse.ts"
import type { Report } from "./Report.ts"

const identity = { name: "parley-demo", version: "0" }

/** A client of one revision at the URL, whose person wants three cups. */
const visit = (report: Report, url: string, revision: "2025-11-25" | "2026-07-28") =>
  Effect.gen(function*() {
    const asked: Array<string> = []
    const client = yield* McpHttpClient.make(yield* NodeHttp.makeFetcher(), {
      ...identity,
      url,
      protocolVersion: revision,
      handlers: {
        elicit: ({ message }) => Effect.sync(() => (asked.push(message), { action: "accept", content: { cups: 3 } }))
      }
    })

    yield* report.step(
      `${revision}, list`,
      Effect.map(client.listTools(), (tools) => `tools: ${tools.map(({ name }) => name).join(", ")}`),
      /order_tea/
    )

    yield* report.step(
      `${revision}, call`,
      Effect.gen(function*() {
        const poured: Array<number> = []
        const { cups, price, tea } = yield* client.callTool("order_tea", { tea: "green" }, {
          result: TeaHouse.Bill,
          onProgress: ({ progress }) => poured.push(progress)
        })
        return `asked "${asked.join()}", answered 3, saw progress ${
          poured.join(", ")
        }: ${cups} cups of ${tea} tea for ${price}`
      }),
      /^asked "How many cups of green tea\?", answered 3, saw progress 1, 2, 3: 3 cups of green tea for 7\.5$/
    )
  }).pipe(Effect.scoped)

const overHttp = (report: Report) =>
  Effect.gen(function*() {
    const endpoint = yield* McpHttp.endpoint(yield* TeaHouse.make)
    const { address } = yield* NodeHttp.serve(endpoint, { port: 0, path: "/mcp" })
    yield* visit(report, address, "2025-11-25")
    yield* visit(report, address, "2026-07-28")
  }).pipe(Effect.scoped)

const overStdio = (report: Report) =>
  Effect.gen(function*() {
    const client = yield* McpStdioClient.make({ ...identity, start: NodeChildProcess.makeTransport(parleyMcp) })

    yield* report.step(
      "stdio, call",
      Effect.map(
        client.callTool("add", { a: 40, b: 2 }, { result: Schema.Struct({ sum: Schema.Finite }) }),
        ({ sum }) => `${client.serverInfo?.name} at revision ${client.protocolVersion}: add { a: 40, b: 2 } = ${sum}`
      ),
      / at revision 2026-07-28: .* = 42$/
    )

    yield* report.step(
      "stdio, progress",
      Effect.map(
        Stream.runCollect(client.streamTool("count_down", { seconds: 1 })),
        (events) =>
          events.map((event) => event._tag === "Progress" ? `progress "${event.progress.message}"` : "the result").join(
            ", then "
          )
      ),
      /^progress "1 …", then the result$/
    )
  }).pipe(Effect.scoped)

/** Both eras at one URL, then stdio. */
export const mcp = (report: Report) => Effect.andThen(overHttp(report), overStdio(report))
