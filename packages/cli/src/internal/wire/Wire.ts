/**
 * How an endpoint is reached, as the command line says it: the endpoint, its
 * framing, headers and authorities. What does not fit together is a usage error.
 */
import type { Inherit } from "@parley/node/NodeChildProcess"
import { describeCause } from "@parley/transport/Transport"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { readFile } from "node:fs/promises"
import * as Endpoint from "../Endpoint.ts"
import { type CommandError, usage } from "../terminal/CommandError.ts"
import * as framings from "./framings.ts"
import * as headers from "./headers.ts"

/** The arguments and flags for an endpoint. */
export interface Input {
  readonly endpoint: string
  /** By default, the framing of the dialect. */
  readonly framing: framings.Name | undefined
  /** `jsonRpc` where it is absent. */
  readonly dialect?: framings.DialectName | undefined
  readonly header: headers.Input
  readonly ca: Option.Option<string>
  /** The variables of a command. By default it gets all variables of this process, as from a shell. */
  readonly variables?: Variables | undefined
}

/** Which variables a command gets. */
export interface Variables {
  readonly inherit: Inherit
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
}

/** An endpoint, and how it is reached. */
export interface Wire {
  readonly endpoint: Endpoint.Endpoint
  /** The endpoint as it may be shown. */
  readonly name: string
  readonly framing: framings.Name
  readonly dialect: framings.DialectName
  readonly headers: Readonly<Record<string, string>>
  /** The authorities to trust in place of those that Node.js knows, as PEM. */
  readonly ca: string | undefined
  readonly variables: Variables
}

/** Reads what the command line says. `flag` is the name of the flag for the framing. */
export const fromInput = Effect.fnUntraced(function*(
  { ca, dialect = "jsonRpc", endpoint: text, framing, header, variables = { inherit: "all" } }: Input,
  flag: string
): Effect.fn.Return<Wire, CommandError> {
  const name = Endpoint.withoutSecrets(text)
  const endpoint = yield* Effect.mapError(
    Effect.fromResult(Endpoint.fromText(text)),
    (why) => {
      const meant = Endpoint.guesses(text).map((guess) => guess.includes(" ") ? JSON.stringify(guess) : guess)
      const problem = `${JSON.stringify(name)} is not an endpoint`
      return meant.length > 0
        ? usage(problem, `did you mean ${meant.join(" or ")}?`)
        : usage(`${problem}: ${why}`, all)
    }
  )
  const isWeb = endpoint._tag === "WebSocket" || endpoint._tag === "Http"
  if (framings.isIdle(framing, endpoint)) {
    return yield* usage(
      `${flag} does not apply to ${name}`,
      "only streams have a framing: TCP, Unix sockets and commands"
    )
  }
  if (!isWeb && headers.isNamed(header)) {
    return yield* usage(`headers do not apply to ${name}`, "only ws, wss, http and https have headers")
  }
  return {
    endpoint,
    name,
    framing: framing ?? framings.ofDialect(dialect),
    dialect,
    headers: yield* headers.fromInput(header),
    ca: Option.isNone(ca) ? undefined : yield* authorities(ca.value, name),
    variables
  }
})

const all = "use tcp://host:port, tls://host:port, unix:/path, \"stdio:command with arguments\", "
  + "nats://host:port/subject, or a URL of ws, wss, http or https"

const authorities = (file: string, name: string): Effect.Effect<string, CommandError> =>
  /^(tls|wss|https|nats):/i.test(name)
    ? Effect.tryPromise({
      try: () => readFile(file, "utf8"),
      catch: (cause) =>
        usage(
          `${file} cannot be read: ${describeCause(cause)}`,
          "--ca needs a PEM file with the certificates of authorities"
        )
    })
    : Effect.fail(usage(`--ca does not apply to ${name}`, "only tls, wss, https and nats have certificates"))
