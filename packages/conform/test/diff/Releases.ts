/** Successive releases of three contracts, as OpenRPC documents. */
import { type Schema } from "effect"
import { existsSync, readFileSync } from "node:fs"

const folder = new URL("../../node_modules/", import.meta.url)

type Json = Schema.Json

interface JsonObject {
  readonly [name: string]: Json
}

const read = (path: string): JsonObject => JSON.parse(readFileSync(new URL(path, folder), "utf8"))

const has = (path: string): boolean => existsSync(new URL(path, folder))

/** A release, and its document. */
export interface Release {
  readonly name: string
  readonly document: () => Json
}

const releases = (
  name: string,
  aliases: ReadonlyArray<string>,
  document: (folder: string) => Json
): ReadonlyArray<Release> =>
  aliases.map((alias) => ({
    name: `${name} ${String(read(`${alias}/package.json`)["version"])}`,
    document: () => document(alias)
  }))

const aliases = (name: string, count: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, at) => `${name}-${at + 1}`)

const openrpc = (title: string, methods: ReadonlyArray<Json>, schemas: JsonObject): Json => ({
  openrpc: "1.3.2",
  info: { title, version: "1.0.0" },
  methods,
  components: { schemas }
})

interface CdpType {
  readonly name: string
  readonly id: string
  readonly type?: string
  readonly $ref?: string
  readonly enum?: ReadonlyArray<string>
  readonly optional?: boolean
  readonly items?: CdpType
  readonly properties?: ReadonlyArray<CdpType>
}

interface CdpDomain {
  readonly domain: string
  readonly types?: ReadonlyArray<CdpType>
  readonly commands?: ReadonlyArray<{
    readonly name: string
    readonly parameters?: ReadonlyArray<CdpType>
    readonly returns?: ReadonlyArray<CdpType>
  }>
  readonly events?: ReadonlyArray<{ readonly name: string; readonly parameters?: ReadonlyArray<CdpType> }>
}

const cdp = (alias: string): Json => {
  const domains = ["browser_protocol", "js_protocol"].flatMap((file): ReadonlyArray<CdpDomain> =>
    JSON.parse(readFileSync(new URL(`${alias}/json/${file}.json`, folder), "utf8")).domains
  )
  const schemaOf = (domain: string, type: CdpType): JsonObject => {
    const { $ref } = type
    if ($ref !== undefined) {
      return { $ref: `#/components/schemas/${$ref.includes(".") ? $ref : `${domain}.${$ref}`}` }
    }
    if (type.type === "any" || type.type === undefined) return {}
    return {
      type: type.type === "binary" ? "string" : type.type,
      ...type.enum !== undefined && { enum: type.enum },
      ...type.items !== undefined && { items: schemaOf(domain, type.items) },
      ...type.properties !== undefined && object(domain, type.properties)
    }
  }
  const object = (domain: string, properties: ReadonlyArray<CdpType>): JsonObject => ({
    type: "object",
    properties: Object.fromEntries(properties.map((property) => [property.name, schemaOf(domain, property)])),
    required: properties.filter(({ optional }) => optional !== true).map(({ name }) => name)
  })
  const params = (domain: string, parameters: ReadonlyArray<CdpType> = []): Json =>
    parameters.map((parameter) => ({
      name: parameter.name,
      required: parameter.optional !== true,
      schema: schemaOf(domain, parameter)
    }))
  return openrpc(
    "DevTools",
    domains.flatMap(({ commands = [], domain, events = [] }) => [
      ...commands.map(({ name, parameters, returns = [] }) => ({
        name: `${domain}.${name}`,
        paramStructure: "by-name",
        params: params(domain, parameters),
        result: { name: "result", schema: object(domain, returns) }
      })),
      ...events.map(({ name, parameters }) => ({
        name: `${domain}.${name}`,
        paramStructure: "by-name",
        params: params(domain, parameters),
        "x-parley-direction": "server-to-client"
      }))
    ]),
    Object.fromEntries(
      domains.flatMap(({ domain, types = [] }) =>
        types.map((type) => [`${domain}.${type.id}`, schemaOf(domain, type)] as const)
      )
    )
  )
}

/** References to `$defs` as references to components. */
const moved = (json: Json): Json => {
  if (Array.isArray(json)) return json.map(moved)
  if (typeof json !== "object" || json === null) return json
  return Object.fromEntries(
    Object.entries(json).map(([key, value]) => [
      key,
      key === "$ref" && typeof value === "string" ? value.replace("#/$defs/", "#/components/schemas/") : moved(value)
    ])
  )
}

const acp = (alias: string): Json => {
  const path = `${alias}/schema/`
  // Releases before 2.0.0 have one file, with all that is unstable.
  const whole = read(has(`${path}v1/schema.unstable.json`) ? `${path}v1/schema.unstable.json` : `${path}schema.json`)
  // The file has schemas by their names.
  const definitions = whole["$defs"] as unknown as Record<string, JsonObject>
  const methods = new Map<string, { side: string; name: string; params?: string; result?: string }>()
  for (const [name, definition] of Object.entries(definitions)) {
    const method = definition["x-method"]
    const side = definition["x-side"]
    if (typeof method !== "string" || typeof side !== "string") continue
    const entry = methods.get(`${side} ${method}`) ?? { side, name: method }
    methods.set(
      `${side} ${method}`,
      name.endsWith("Response") ? { ...entry, result: name } : { ...entry, params: name }
    )
  }
  const described = ({ name, params, result }: { name: string; params?: string; result?: string }): JsonObject => ({
    name,
    params: [],
    "x-parley-params": params === undefined ? true : { $ref: `#/components/schemas/${params}` },
    ...result !== undefined && { result: { name: "result", schema: { $ref: `#/components/schemas/${result}` } } }
  })
  const served = [...methods.values()].filter(({ side }) => side !== "client")
  const names = new Set(served.map(({ name }) => name))
  const asked = [...methods.values()].filter(({ side }) => side === "client")
  return openrpc(
    "Agent Client Protocol",
    [
      ...served.map((method) => {
        const reverse = asked.find(({ name }) => name === method.name)
        return { ...described(method), ...reverse !== undefined && { "x-parley-reverse": described(reverse) } }
      }),
      ...asked.filter(({ name }) => !names.has(name)).map((method) => ({
        ...described(method),
        "x-parley-direction": "server-to-client"
      }))
    ],
    // Schemas are JSON.
    moved(definitions as unknown as Json) as unknown as JsonObject
  )
}

/** The first release has another name for the file. */
const metamask = (alias: string): Json => {
  const path = `${alias}/dist/build/openrpc.json`
  return read(has(path) ? path : `${alias}/dist/build/metamask-openrpc.json`)
}

const multichain = (alias: string): Json => read(`${alias}/dist/build/multichain-openrpc.json`)

/** Each with its successor. */
export const pairs = (releases: ReadonlyArray<Release>): ReadonlyArray<readonly [Release, Release]> =>
  releases.slice(1).flatMap((release, at) => {
    const before = releases[at]
    return before === undefined ? [] : [[before, release] as const]
  })

export const devtools = releases("devtools-protocol", aliases("devtools-protocol", 11), cdp)

export const agents = releases("@agentclientprotocol/sdk", aliases("acp-sdk", 11), acp)

const specs = [...aliases("metamask-api-specs", 8), "@metamask/api-specs"]

export const wallets = releases("@metamask/api-specs", specs, metamask)

/** The other document of the same package, which has fewer releases. */
export const chains = releases("@metamask/api-specs (multichain)", specs.slice(2), multichain)
