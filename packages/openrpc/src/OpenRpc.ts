/**
 * OpenRPC documents of contracts: they describe what a program serves to clients
 * that know only its wire.
 *
 * A document says all that its contract does. OpenRPC has no members for some of
 * it; these begin with `x-parley-`, and `Codegen` reads them back: contract,
 * document, contract gives the same document. JSON Schemas are of draft 7; Effect
 * writes them from the JSON of a Schema.
 *
 * ```ts run
 * import { Contract, Method } from "@parley/contract"
 * import { OpenRpc } from "@parley/openrpc"
 * import { Schema } from "effect"
 *
 * const Bank = Contract.make("Bank", {
 *   balance: Method.make({ params: { account: Schema.String }, result: Schema.Number })
 * })
 *
 * const document = OpenRpc.fromContract(Bank, { version: "1.2.0" })
 * console.log(document.info) // => { title: 'Bank', version: '1.2.0' }
 * console.log(document.methods[0]?.name, document.methods[0]?.params[0]?.schema) // => balance { type: 'string' }
 * ```
 *
 * @since 0.1.0
 */
import type * as Contract from "@parley/contract/Contract"
import { type MethodTaken, Router } from "@parley/peer/Router"
import type * as Dialect from "@parley/protocol/Dialect"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Document from "./internal/description/document.ts"
import * as Dialects from "./internal/module/dialects.ts"
import type * as OpenRpcDocument from "./internal/OpenRpcDocument.ts"

export {
  Carrier,
  Components,
  ContentDescriptor,
  decode,
  decodeMethod,
  Document,
  ErrorObject,
  Example,
  ExamplePairing,
  Info,
  JsonSchema,
  Method,
  NamedError,
  type Omission,
  omissionsOf,
  Protocol,
  referred,
  type Sources
} from "./internal/OpenRpcDocument.ts"

export { OpenRpcError, Reason } from "./internal/OpenRpcError.ts"

/**
 * The title, the version and other texts about a document. By default the title is the name of the contract, and the
 * version is 0.0.0.
 *
 * @category models
 * @since 0.1.0
 */
export type DocumentInfo = Partial<OpenRpcDocument.Info>

/**
 * The document of a contract. It throws if a Schema has no JSON, or if an example does not fit its Schemas: these are
 * defects of the program.
 *
 * @category constructors
 * @since 0.1.0
 */
export const fromContract = (contract: Contract.Any, info: DocumentInfo = {}): OpenRpcDocument.Document => {
  const { components, methods } = Document.describe([contract.members])
  const [own = []] = methods
  return {
    openrpc,
    info: { title: contract.identifier, version: "0.0.0", ...info },
    methods: own,
    ...components,
    ...((info.title ?? contract.identifier) !== contract.identifier && { "x-parley-contract": contract.identifier })
  }
}

/** The parts of a protocol that a document describes. @category models @since 0.1.0 */
export interface AnyPair {
  /** The contract that the client serves. */
  readonly client: Contract.Any
  /** The contract that the server serves. */
  readonly server: Contract.Any
  /** How both use JSON-RPC. */
  readonly dialect: Dialect.Dialect
}

/**
 * The document of both directions of a protocol. Methods that the client serves have `x-parley-direction`; where both
 * sides serve a method of one name, that of the client is the member `x-parley-reverse` of that of the server.
 *
 * @category constructors
 * @since 0.1.0
 */
export const fromPair = (protocol: AnyPair, info: DocumentInfo = {}): OpenRpcDocument.Document => {
  const { client, dialect, server } = protocol
  const { components, methods } = Document.describe([server.members, client.members])
  const [forward = [], backward = []] = methods
  const reverse = new Map(backward.map((method) => [method.name, method]))
  const names = new Set(forward.map(({ name }) => name))
  const dialectJson = Dialects.toJson(dialect)
  return {
    openrpc,
    info: { title: server.identifier, version: "0.0.0", ...info },
    methods: [
      ...forward.map((method) => {
        const other = reverse.get(method.name)
        return other === undefined ? method : { ...method, "x-parley-reverse": Document.toJson(other) }
      }),
      ...backward.filter(({ name }) => !names.has(name)).map((method) => ({
        ...method,
        "x-parley-direction": "server-to-client" as const
      }))
    ],
    ...components,
    "x-parley-protocol": {
      client: client.identifier,
      server: server.identifier,
      ...(dialectJson !== undefined && { dialect: dialectJson })
    }
  }
}

/** The method that gives the document, by OpenRPC's section "Service Discovery Method". @category constants @since 0.1.0 */
export const discover = "rpc.discover"

/**
 * Serves a document as `rpc.discover`. Each call makes a new layer.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerDiscover = (
  contract: Contract.Any | AnyPair,
  info: DocumentInfo = {}
): Layer.Layer<never, MethodTaken, Router> =>
  Layer.effectDiscard(Effect.flatMap(Router, (router) => {
    const document = Document.toJson(
      "members" in contract ? fromContract(contract, info) : fromPair(contract, info)
    )
    return router.add(discover, () => Effect.succeed(document), { order: "concurrent" })
  }))

const openrpc = "1.3.2"
