/** Clients of the official SDKs before `parley mcp connect` and `parley mcp dev`, over every pair of wires and eras. */
import { layer } from "@effect/vitest"
import * as Revision from "@parley/mcp/wire/Revision"
import { Effect, type Scope } from "effect"
import { compileCacheEnv } from "../../../../../tools/compileCache.ts"
import type { Connected } from "../../../../mcp/test/interop/support/foreign.ts"
import * as offered from "../../../../mcp/test/interop/support/offered.ts"
import * as officialV1 from "../../../../mcp/test/interop/support/officialV1.ts"
import * as officialV2 from "../../../../mcp/test/interop/support/officialV2.ts"
import * as places from "../../../../mcp/test/interop/support/places.ts"
import { scenarios } from "../../../../mcp/test/interop/support/scenarios.ts"
import * as Parley from "../../Parley.ts"

type Wire = "stdio" | "http"

const isSlow = process.env["SLOW"] === "1"

interface Client {
  readonly name: string
  readonly stdio: (command: places.Command) => Effect.Effect<Connected, unknown, Scope.Scope>
  readonly http: (url: string) => Effect.Effect<Connected, unknown, Scope.Scope>
}

const modern = { pin: "2026-07-28" } as const

const clients: ReadonlyArray<Client> = [
  {
    name: "version 1",
    stdio: (command) => Effect.flatMap(officialV1.stdioOf(command), officialV1.connect),
    http: (url) => officialV1.connect(officialV1.http(url))
  },
  {
    name: "version 2, legacy",
    stdio: (command) =>
      Effect.flatMap(officialV2.stdioOf(command), (transport) => officialV2.connect(transport, "legacy")),
    http: (url) => officialV2.connect(officialV2.http(url), "legacy")
  },
  {
    name: "version 2, modern",
    stdio: (command) =>
      Effect.flatMap(officialV2.stdioOf(command), (transport) => officialV2.connect(transport, modern)),
    http: (url) => officialV2.connect(officialV2.http(url), modern)
  }
]

/** The words that name the server. */
const serverOf = (wire: Wire, era: Revision.Era): Effect.Effect<ReadonlyArray<string>, never, Scope.Scope> =>
  wire === "stdio"
    ? Effect.succeed(["--", places.command.command, ...places.command.args, era])
    : Effect.map(Effect.flatMap(offered.makeOf(Revision.ofEra(era)), places.hosted), (url) => [url])

const connected = (client: Client, verb: "connect" | "dev", near: Wire, far: Wire, era: Revision.Era) =>
  Effect.gen(function*() {
    const words = yield* serverOf(far, era)
    if (near === "stdio") {
      return yield* client.stdio({
        command: process.execPath,
        args: [Parley.bin, "mcp", verb, ...words],
        env: compileCacheEnv,
        stderr: "ignore"
      })
    }
    const running = yield* Parley.start(["mcp", verb, "--listen", "http://127.0.0.1:0/mcp", ...words])
    return yield* client.http((yield* running.line).replace(/^listening /, ""))
  }).pipe(Effect.map((foreign) => ({ ...foreign, served: era })))

const wires = ["stdio", "http"] as const
const eras = ["legacy", "modern"] as const

const all = clients.flatMap((client) =>
  wires.flatMap((near) =>
    eras.flatMap((era) => [
      ...wires.map((far) => ({ client, near, far, era, verb: "connect" as const })),
      { client, near, far: "stdio" as const, era, verb: "dev" as const }
    ])
  )
)

/** The oldest client and the newest server, without the slow tests. */
const some = all.filter(({ client, era, far, near, verb }) =>
  verb === "connect" && client === clients[0] && near === "stdio" && far === "http" && era === "modern"
)

for (const { client, era, far, near, verb } of isSlow ? all : some) {
  layer(places.of(connected(client, verb, near, far, era)), { excludeTestServices: true })(
    `the official SDK's client, ${client.name}, over ${near}, and a ${era} server over ${far} behind parley mcp ${verb}`,
    (it) => scenarios(it, false)
  )
}
