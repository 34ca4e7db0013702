import { assert, beforeAll, describe, it } from "@effect/vitest"
import * as McpUpstream from "@parley/mcp-gateway/McpUpstream"
import * as McpHttp from "@parley/mcp/McpHttp"
import * as McpHttpClient from "@parley/mcp/McpHttpClient"
import * as McpStdioClient from "@parley/mcp/McpStdioClient"
import type { Revision } from "@parley/mcp/wire/Revision"
import * as NodeChildProcess from "@parley/node/NodeChildProcess"
import * as NodeHttp from "@parley/node/NodeHttp"
import { Effect } from "effect"
import * as everything from "../../mcp/test/support/everything.ts"
import { clientOf, named, pairs, through } from "./support/pairs.ts"
import * as transcript from "./support/transcript.ts"

const stdio = NodeChildProcess.makeTransport({ command: process.execPath, args: [everything.program, "stdio"] })

/** The published server, which is of the legacy era, as a server of an era. */
const published = Effect.fnUntraced(function*(far: Revision) {
  const server = yield* McpUpstream.server({
    name: "everything",
    connect: (options) => McpStdioClient.make({ ...options, start: stdio })
  })
  return far === "2025-11-25" ? server : yield* through(server, far)
})

const client = { name: "test", version: "1", handlers: transcript.handlers }

// Its tools take seconds, in which nothing happens.
describe.concurrent("the server of everything behind another", () => {
  /** The transcript of the server without another before it. */
  let direct: unknown

  beforeAll(async () => {
    const transcribed = Effect.flatMap(McpStdioClient.make({ ...client, start: stdio }), transcript.of)
    direct = await Effect.runPromise(Effect.scoped(transcribed))
  })

  for (const pair of pairs) {
    it.live(
      `does all as it does it alone, in memory: ${named(pair)}`,
      () =>
        Effect.gen(function*() {
          const server = yield* published(pair.far)
          const near = yield* clientOf(server, { ...client, protocolVersion: pair.near })
          assert.deepStrictEqual(yield* transcript.of(near), direct)
        }),
      120_000
    )

    it.live(
      `does all as it does it alone, over HTTP: ${named(pair)}`,
      () =>
        Effect.gen(function*() {
          const server = yield* published(pair.far)
          const endpoint = yield* McpHttp.endpoint(server)
          const { address } = yield* NodeHttp.serve(endpoint, { port: 0, path: "/mcp" })
          const fetcher = yield* NodeHttp.makeFetcher()
          const near = yield* McpHttpClient.make(fetcher, { ...client, url: address, protocolVersion: pair.near })
          assert.deepStrictEqual(yield* transcript.of(near), direct)
        }),
      120_000
    )
  }
})
