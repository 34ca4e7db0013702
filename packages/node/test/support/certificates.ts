/** The certificates under `fixtures/tls`, as options of either side. */
import type { Tls } from "@parley/node/NodeTcp"
import { Redacted } from "effect"
import { readFileSync } from "node:fs"

const read = (name: string): string => readFileSync(new URL(`../fixtures/tls/${name}`, import.meta.url), "utf8")

const identity = (name: string) => ({ cert: read(`${name}.pem`), key: Redacted.make(read(`${name}.key`)) })

export const ca = read("ca.pem")

/** A server for `localhost` and `127.0.0.1` that the tests' authority vouches for. */
export const server: Tls = identity("server")

/** A client that trusts the tests' authority. */
export const trusting: Tls = { ca }

/** A client that also shows a certificate of its own. */
export const known: Tls = { ca, ...identity("client") }

export const expired: Tls = identity("expired")

/** By an authority that nobody trusts. */
export const stranger: Tls = identity("stranger")

/** As `server`, with a key that a phrase opens. */
export const locked: Tls = {
  cert: read("server.pem"),
  key: Redacted.make(read("locked.key")),
  passphrase: Redacted.make("correct horse battery")
}
