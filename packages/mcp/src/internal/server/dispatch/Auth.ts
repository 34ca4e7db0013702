/** The caller as handlers see them. Nothing of it is found anywhere but in the facts that the host gave with the message. */
import { ExpiresAt, Scopes } from "@parley/oauth/AccessToken"
import * as Handshake from "@parley/transport/Handshake"
import * as Context from "effect/Context"
import type { AuthInfo, CallerInfo } from "../../../McpContext.ts"
import { principalsOf, type ServerState } from "../definition/ServerState.ts"

/** @internal */
export class Auth implements AuthInfo {
  readonly #caller: CallerInfo
  readonly #server: ServerState

  constructor(caller: CallerInfo, server: ServerState) {
    this.#caller = caller
    this.#server = server
  }

  get principal() {
    const { handshake, principal } = this.#caller
    return principal ?? (handshake && Handshake.nameOf(handshake))
  }

  get scopes() {
    return this.#caller.scopes ?? Context.get(this.#services, Scopes)
  }

  get expiresAt() {
    return Context.get(this.#services, ExpiresAt)
  }

  get get(): AuthInfo["get"] {
    return (key) => {
      if (!principalsOf(this.#server).has(key.key)) {
        throw new TypeError(
          `the server ${this.#server.info.name} does not name ${key.key} in \`principals\`, and its handlers read it`
        )
      }
      if (this.#caller.handshake?.declared?.has(key.key) === false) throw new TypeError(undeclared(key.key))
      return Context.getOption(this.#services, key)
    }
  }

  get #services(): Context.Context<never> {
    return this.#caller.handshake?.principal ?? nobody
  }
}

const nobody = Context.empty()

/** What is wrong where no other node could have a service. @internal */
export const undeclared = (key: string): string =>
  `\`authorize\` declares no Schema of ${key}, which handlers read of their callers: give it to ` +
  "`Handshake.authorize`, `Handshake.declare`, or `services` of `ResourceServer`"
