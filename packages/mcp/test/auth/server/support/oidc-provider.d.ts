/** The little of it that tests use: the package has no types of its own. */
declare module "oidc-provider" {
  import type { IncomingMessage, RequestListener, ServerResponse } from "node:http"

  interface Interaction {
    readonly prompt: {
      readonly name: string
      readonly details: {
        readonly missingOIDCScope?: ReadonlyArray<string>
        readonly missingResourceScopes?: Readonly<Record<string, ReadonlyArray<string>>>
      }
    }
    readonly params: { readonly client_id: string }
    readonly session?: { readonly accountId: string }
    readonly grantId?: string
  }

  interface Grant {
    readonly addOIDCScope: (scope: string) => void
    readonly addResourceScope: (resource: string, scope: string) => void
    readonly save: () => Promise<string>
  }

  export default class Provider {
    constructor(issuer: string, configuration: object)
    readonly callback: () => RequestListener
    readonly interactionDetails: (request: IncomingMessage, response: ServerResponse) => Promise<Interaction>
    readonly interactionFinished: (
      request: IncomingMessage,
      response: ServerResponse,
      result: object,
      options: { readonly mergeWithLastSubmission: boolean }
    ) => Promise<void>
    readonly Grant: {
      new(owner: { readonly accountId: string | undefined; readonly clientId: string }): Grant
      readonly find: (id: string) => Promise<Grant | undefined>
    }
  }
}
