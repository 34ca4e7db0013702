/**
 * Microseconds of processor time that a call over HTTP costs more where the server has 500 tools than where it has one:
 * `node tools.ts`. Both endpoints are in this process, without their host: it knows of no tools.
 */
import type { RequestRules } from "@parley/http/shared"
import * as McpHttp from "@parley/mcp/McpHttp"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import { difference } from "../../cost/difference.ts"
import type { Client } from "../../Subject.ts"
import * as echo from "../echo.ts"
import { makeServer } from "../parley.ts"

const { body, headers } = echo.request(echo.modern, "tools/call")
const all: { readonly [name: string]: string | undefined } = { ...headers, host: "127.0.0.1" }

const head: RequestRules.Head = { method: "POST", url: "/mcp", address: "127.0.0.1", header: (name) => all[name] }

const responder = { start: () => Effect.void, write: () => Effect.void, toStream: () => undefined }

const open = async (tools: number): Promise<Client> => {
  const endpoint = await Effect.runPromise(
    Scope.provide(Effect.flatMap(makeServer(tools), (server) => McpHttp.endpoint(server)), Scope.makeUnsafe())
  )
  let id = 0
  const call = Effect.suspend(() => endpoint.answer(head, body(++id), responder))
  return { call: () => Effect.runPromise(call), callEffect: () => call, close: () => {} }
}

const cost = await difference(await open(500), await open(1), 1)
process.stdout.write(`${cost}\n`, () => process.exit())
