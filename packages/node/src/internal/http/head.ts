/**
 * The head of a request of Node.js, as endpoints and `authorize` see it.
 */
import type * as Handshake from "@parley/transport/Handshake"
import type * as http from "node:http"
import type { TLSSocket } from "node:tls"

/** It reads what is asked for, when it is asked for. */
export class Head implements Handshake.Head {
  readonly #request: http.IncomingMessage

  constructor(request: http.IncomingMessage) {
    this.#request = request
  }

  get method() {
    return this.#request.method ?? ""
  }

  get url() {
    return this.#request.url ?? ""
  }

  get address() {
    return this.#request.socket.remoteAddress
  }

  get certificate() {
    const { socket } = this.#request
    // Only a socket of TLS has one. The class itself would load all of TLS for a server without it.
    return "getPeerCertificate" in socket ? certificateOf(socket as TLSSocket) : undefined
  }

  /** An arrow function, because it may be taken off its object. */
  readonly header = (name: string): string | undefined => {
    const value = this.#request.headers[name]
    return typeof value === "object" ? value.join(", ") : value
  }

  readonly names = (): ReadonlyArray<string> => Object.keys(this.#request.headers)
}

const certificateOf = (socket: TLSSocket): Handshake.Certificate | undefined => {
  const { fingerprint256, raw, subject, subjectaltname } = socket.getPeerCertificate()
  // Without a certificate Node.js gives an empty object.
  if (raw === undefined) return undefined
  const name = subject.CN
  return {
    name: typeof name === "object" ? name[0] : name,
    alternatives: subjectaltname,
    fingerprint: fingerprint256,
    raw,
    isTrusted: socket.authorized
  }
}
