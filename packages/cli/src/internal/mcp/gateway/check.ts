/**
 * `parley mcp gateway --check`: whether each server is reached, and what of it is not offered, with the reasons.
 */
import type * as McpGateway from "@parley/mcp-gateway/McpGateway"
import type { ServerStatus } from "@parley/mcp-gateway/Policy"
import * as McpMemoryClient from "@parley/mcp/McpMemoryClient"
import * as McpServer from "@parley/mcp/McpServer"
import { Excerpt } from "@parley/protocol/shared"
import { describeCause } from "@parley/transport/Transport"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type CommandError, line } from "../../terminal/CommandError.ts"
import { print, printableLine } from "../../terminal/output.ts"
import { version } from "../../terminal/version.ts"
import { explain } from "../failures.ts"
import type { Config, Server } from "./Config.ts"

/** Fails where a server is not reached, or something of it is not approved as it is now. */
export const check = (
  gateway: McpGateway.McpGateway,
  servers: Config["servers"]
): Effect.Effect<void, CommandError, Scope.Scope> =>
  Effect.gen(function*() {
    const causes = new Map(
      yield* Effect.forEach(gateway.upstreams(), ([name, { credentials, ready }]) =>
        Effect.match(
          credentials === "user"
            ? answers(servers[name])
            : Effect.mapError(ready, (error) => explain(error, name).message),
          {
            onSuccess: () => [name, undefined] as const,
            onFailure: (why) => [name, why] as const
          }
        ), { concurrency: "unbounded" })
    )
    const found = (yield* statusOf(gateway)).map((status) => {
      const { isReached = causes.get(status.name) === undefined } = status
      return { ...status, isReached }
    })
    for (const { isReached, name, unoffered } of found) {
      const why = printableLine(causes.get(name) ?? "it is gone")
      yield* print(isReached ? `${name}: reached` : `${name}: not reached: ${why}`)
      for (const { kind, name: own, reason } of unoffered) {
        yield* print(`${name}: ${kind} ${Excerpt.line(own)} is not offered: ${reason}`)
      }
    }
    const bad = found.filter(({ isReached, unoffered }) => !isReached || unoffered.some(isUnapproved))
    if (bad.length > 0) {
      return yield* line(`${bad.map(({ name }) => name).join(", ")}: not reached, or not approved as they are now`)
    }
  })

/** Whether anything answers at the URL of a server to which only its users can say more. */
const answers = (server: Server | undefined): Effect.Effect<unknown, string> =>
  server !== undefined && "url" in server
    ? Effect.mapError(
      Effect.timeout(
        Effect.tryPromise((signal) => fetch(server.url, { method: "HEAD", redirect: "manual", signal })),
        patience
      ),
      (error) => describeCause("cause" in error ? error.cause : error)
    )
    : Effect.void

const patience = 10_000

const isUnapproved = ({ why }: ServerStatus["unoffered"][number]) => why === "unapproved" || why === "changed"

const statusOf = (gateway: McpGateway.McpGateway) =>
  Effect.gen(function*() {
    const client = yield* Effect.provideService(
      McpMemoryClient.make({ name: "parley", version }),
      McpServer.McpServer,
      gateway
    )
    const { contents: [first] } = yield* client.readResource("gateway://status")
    // It is ours, and written by the rules of its type.
    const { servers } = JSON.parse(first !== undefined && "text" in first ? first.text : "{}") as {
      readonly servers: ReadonlyArray<ServerStatus>
    }
    return servers
  }).pipe(Effect.mapError((error) => explain(error, "the gateway")))
