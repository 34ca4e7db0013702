/**
 * From our TLS options to those of Node.js.
 *
 * Certificates that cannot be read fail here, with `Open`: Node.js would throw where
 * nobody catches, or refuse every handshake.
 */
import * as Transport from "@parley/transport/Transport"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as NodeTls from "node:tls"
import type { Tls } from "./TlsOptions.ts"

/** The module of Node.js, which programs without TLS do not load: with it comes all of `node:crypto`. */
export const nodeTls: Effect.Effect<typeof NodeTls> = Effect.promise(() => import("node:tls"))

/** The options of both sides. Some of them take `undefined` for a value, so missing ones are left out. */
export interface Identity {
  readonly key?: Array<string | Buffer>
  readonly cert?: Array<string | Buffer>
  readonly ca?: Array<string | Buffer>
  readonly passphrase?: string
  readonly ALPNProtocols?: Array<string>
  readonly rejectUnauthorized?: boolean
}

/** The options of a client. */
export interface Client extends Identity {
  readonly servername?: string
}

/** The options of a server. */
export interface Server extends Identity {
  readonly requestCert?: boolean
}

/** For `tls.connect`, `https.request` and the like. */
export const clientOptions = (options: Tls): Effect.Effect<Client, Transport.TransportError> =>
  checked(() => ({
    ...identity(options),
    ...(options.servername === undefined ? {} : { servername: options.servername })
  }))

/** For `tls.createServer` and `https.createServer`. */
export const serverOptions = (options: Tls): Effect.Effect<Server, Transport.TransportError> =>
  checked(() => {
    if (options.key === undefined || options.cert === undefined) {
      throw new Error("a TLS server needs a key and a certificate")
    }
    return { ...identity(options), ...(options.requestCert === undefined ? {} : { requestCert: options.requestCert }) }
  })

const checked = <A extends Identity>(
  options: () => A
): Effect.Effect<A, Transport.TransportError> =>
  Effect.flatMap(nodeTls, (tls) =>
    Effect.try({
      try: () => {
        const all = options()
        tls.createSecureContext(all)
        return all
      },
      catch: (cause) => Transport.transportError({ _tag: "Open", cause })
    }))

const identity = ({ alpnProtocols, ca, cert, key, passphrase, rejectUnauthorized }: Tls): Identity => ({
  ...(key === undefined ? {} : { key: listOf(key).map((one) => pem(Redacted.value(one))) }),
  ...(cert === undefined ? {} : { cert: listOf(cert).map(pem) }),
  ...(ca === undefined ? {} : { ca: listOf(ca).map(pem) }),
  ...(passphrase === undefined ? {} : { passphrase: Redacted.value(passphrase) }),
  ...(alpnProtocols === undefined ? {} : { ALPNProtocols: [...alpnProtocols] }),
  ...(rejectUnauthorized === undefined ? {} : { rejectUnauthorized })
})

const pem = (text: string | Uint8Array): string | Buffer => typeof text === "string" ? text : Buffer.from(text)

const listOf = <A extends object | string>(one: A | ReadonlyArray<A>): ReadonlyArray<A> =>
  // `Array.isArray` does not narrow a readonly array.
  Array.isArray(one) ? one as ReadonlyArray<A> : [one as A]
