/**
 * The tokens of the person at this machine, which every command uses.
 */
import * as NodeTokenStore from "@parley/node/NodeTokenStore"
import type { ClientAuthorization } from "@parley/oauth/ClientAuthorization"
import * as Grant from "@parley/oauth/Grant"
import { join } from "node:path"
import { stateFolder } from "../../files/stateFolder.ts"

/** The store of the person at this machine. */
export const store = (): NodeTokenStore.NodeTokenStore =>
  NodeTokenStore.make({ directory: join(stateFolder(), "tokens") })

/** The store of the users of a gateway. */
export const storeOfUsers = (): NodeTokenStore.NodeTokenStore =>
  NodeTokenStore.make({ directory: join(stateFolder(), "users") })

/** How a command gets tokens: from the store, and from a person where one may be asked. */
export const authorization = (
  grant: Partial<Omit<Grant.AuthorizationCode, "_tag">> = {},
  more: Partial<ClientAuthorization> = {}
): ClientAuthorization => ({
  grant: Grant.authorizationCode({
    redirectUri: "http://127.0.0.1/callback",
    registration: { client_name: "Parley (command line)" },
    ...grant
  }),
  store: store(),
  ...more
})
