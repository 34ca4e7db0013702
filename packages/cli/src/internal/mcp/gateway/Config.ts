/**
 * The file that says which servers stand behind a gateway, and how it is reached: JSON, with comments and commas behind the
 * last member as people write them. Each error has its path.
 */
import * as McpGateway from "@parley/mcp-gateway/McpGateway"
import * as HostConfig from "@parley/mcp/host/HostConfig"
import { describeCause } from "@parley/transport/Transport"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import * as SchemaIssue from "effect/SchemaIssue"
import { readFile } from "node:fs/promises"
import { dirname, resolve } from "node:path"
import * as duration from "../../arguments/duration.ts"
import * as jsonc from "../../files/jsonc.ts"
import { type CommandError, usage } from "../../terminal/CommandError.ts"
import { printableLine } from "../../terminal/output.ts"

const texts = Schema.Array(Schema.String)
const named = Schema.Record(Schema.String, Schema.String)

const Tools = Schema.Struct({
  allow: Schema.optionalKey(texts),
  deny: Schema.optionalKey(texts),
  rename: Schema.optionalKey(named),
  /** The scopes that calls of these tools need, beside those of the server. */
  scopes: Schema.optionalKey(Schema.Record(Schema.String, texts))
})

const count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))

const time = Schema.String.check(
  Schema.makeFilter((text: string) =>
    Option.isSome(duration.fromText(text)) || "Expected a time such as 500ms, 5s or 2m"
  )
)

const Rate = Schema.Struct({ limit: count, window: time })

/** The bounds of the calls of a server, as `Policy` of `@parley/mcp-gateway` has them. */
const Budget = Schema.Struct({
  calls: Schema.optionalKey(count),
  callsPerPrincipal: Schema.optionalKey(count),
  rate: Schema.optionalKey(Rate),
  ratePerPrincipal: Schema.optionalKey(Rate),
  deadline: Schema.optionalKey(time),
  breaker: Schema.optionalKey(Schema.Struct({ failures: count, cooldown: time }))
})

export type Budget = typeof Budget.Type

const shared = {
  /** The text before the names of its tools and prompts. */
  prefix: Schema.optionalKey(Schema.String),
  tools: Schema.optionalKey(Tools),
  /** The name by which people are told who asks. */
  label: Schema.optionalKey(Schema.String),
  /** The scopes that each use of the server needs. */
  scopes: Schema.optionalKey(texts),
  budget: Schema.optionalKey(Budget),
  /** The beginnings of URIs that are of no other server. */
  uris: Schema.optionalKey(texts),
  /** How long a request waits without progress, as in 500ms, 5s or 2m. Programs differ in what a number counts, so it is left alone. */
  timeout: Schema.optionalKey(Schema.Union([Schema.String, Schema.Finite])),
  /** The most connections at once: one is always there, and calls whose clients may be asked need another. */
  connections: Schema.optionalKey(Schema.Int.check(Schema.isGreaterThanOrEqualTo(2))),
  /** The most connections of one caller. */
  connectionsPerPrincipal: Schema.optionalKey(Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))),
  /** Whether callers without a session share connections: the server keeps nothing in a session. */
  shared: Schema.optionalKey(Schema.Boolean),
  disabled: Schema.optionalKey(Schema.Boolean)
}

const Command = Schema.Struct({ ...HostConfig.CommandServer.fields, ...shared })

const Web = Schema.Struct({
  ...HostConfig.UrlServer.fields,
  /**
   * The owner of the credentials that the server is sent: the tokens of `parley mcp login` for all, which is the default
   * unless `headers` have an authorization; each user's own, which the gateway gets; or none beside `headers`.
   */
  credentials: Schema.optionalKey(Schema.Literals(["service", "user", "none"])),
  ...shared
})

/** A server behind the gateway, as `mcpServers` of other programs have it; members that only those know are left alone. */
export type Server = typeof Command.Type | typeof Web.Type

const Auth = Schema.Struct({
  issuer: Schema.String,
  resource: Schema.String,
  audience: Schema.optionalKey(texts),
  scopes: Schema.optionalKey(texts),
  jwksUri: Schema.optionalKey(Schema.String),
  /** The client that the gateway is at the issuer, for logins of users. Without it, the gateway registers one. */
  client: Schema.optionalKey(Schema.Struct({ id: Schema.String, secret: Schema.optionalKey(Schema.String) }))
})

const Whole = Schema.Struct({
  name: Schema.optionalKey(Schema.String),
  version: Schema.optionalKey(Schema.String),
  instructions: Schema.optionalKey(Schema.String),
  /** Whether lists have only the features whose scopes the caller has. */
  listOnlyPermitted: Schema.optionalKey(Schema.Boolean),
  listen: Schema.optionalKey(Schema.String),
  origins: Schema.optionalKey(texts),
  pins: Schema.optionalKey(Schema.String),
  auth: Schema.optionalKey(Auth)
})

/** The content of the file. */
export interface Config extends Omit<typeof Whole.Type, "pins"> {
  readonly servers: { readonly [name: string]: Server }
  /** The path of the file with the approved definitions. */
  readonly pins: string | undefined
}

const known = new Set([...Object.keys(Whole.fields), "$schema", "servers", "mcpServers"])

/** Reads the file, and fills in the environment variables that it names as `${NAME}`. */
export const read = Effect.fnUntraced(function*(file: string): Effect.fn.Return<Config, CommandError> {
  const text = yield* Effect.tryPromise({
    try: () => readFile(file, "utf8"),
    catch: (cause) => usage(`${file} cannot be read: ${describeCause(cause)}`, "CONFIG is a path to a JSON file")
  })
  const wrong = (issues: ReadonlyArray<string>) =>
    usage(
      [`${file} is not a configuration of a gateway:`, ...issues.map((issue) => `  ${printableLine(issue)}`)].join(
        "\n"
      ),
      hint
    )
  const parsed = jsonc.parse(text)
  if (Result.isFailure(parsed)) return yield* wrong([parsed.failure])
  const json = parsed.success
  if (typeof json !== "object" || json === null || Array.isArray(json)) return yield* wrong(["it is not an object"])
  // JSON that is an object has members of any kind.
  const whole = json as { readonly [name: string]: unknown }
  const { mcpServers, servers = mcpServers } = whole
  const issues = Object.keys(whole).filter((name) => !known.has(name)).map((name) => `${name}: there is no such member`)
  if (Object.hasOwn(whole, "servers") && Object.hasOwn(whole, "mcpServers")) {
    issues.push("mcpServers: servers says the same already")
  }
  const decoded = take(Whole, [], whole, issues)
  closed(Auth, ["auth"], decoded?.auth && whole["auth"], issues)
  const auth = decoded?.auth && filledAuth(decoded.auth, issues)
  const found: Record<string, Server> = {}
  if (typeof servers !== "object" || servers === null || Array.isArray(servers)) {
    issues.push("servers: Expected an object with a member for each server")
  } else {
    for (const [name, entry] of Object.entries(servers)) {
      const server = serverOf(name, entry, issues)
      if (server !== undefined && server.disabled !== true) found[name] = server
    }
    if (Object.keys(servers).length === 0) issues.push("servers: there is none")
  }
  const conflict = McpGateway.conflictOf(found)
  if (conflict !== undefined) issues.push(`servers: ${conflict}`)
  for (const [name, server] of Object.entries(found)) {
    if ("url" in server && server.credentials === "user" && whole["auth"] === undefined) {
      issues.push(`servers.${name}.credentials: "user" needs \`auth\`: without it, nobody knows who calls`)
    }
  }
  if (decoded === undefined || issues.length > 0) return yield* wrong(issues)
  return {
    ...decoded,
    ...(auth !== undefined && { auth }),
    servers: found,
    pins: decoded.pins === undefined ? undefined : resolve(dirname(file), decoded.pins)
  }
})

const hint = "for example {\"servers\": {\"files\": {\"command\": \"npx\", \"args\": [\"-y\", \"…\"]}}}"

const serverOf = (name: string, entry: unknown, issues: Array<string>): Server | undefined => {
  const path = ["servers", name]
  // An object has `__proto__` for itself.
  if (!/^(?!__proto__$)[\w.-]{1,64}$/.test(name)) {
    issues.push(`servers.${name}: a name has 1 to 64 letters, digits, _, . and -, and is not __proto__`)
  }
  const isCommand = typeof entry === "object" && entry !== null && Object.hasOwn(entry, "command")
  const isWeb = typeof entry === "object" && entry !== null && Object.hasOwn(entry, "url")
  if (isCommand === isWeb) {
    issues.push(`${path.join(".")}: a server has either a command or a url`)
    return undefined
  }
  const server = isCommand ? take(Command, path, entry, issues) : take(Web, path, entry, issues)
  closed(Tools, [...path, "tools"], server?.tools && Object(entry).tools, issues)
  closed(Budget, [...path, "budget"], server?.budget && Object(entry).budget, issues)
  if (server === undefined) return undefined
  if ("url" in server && !/^https?:/.test(server.url)) {
    issues.push(`${path.join(".")}.url: Expected a URL of http or https`)
  }
  if (typeof server.timeout === "string" && Option.isNone(duration.fromText(server.timeout))) {
    issues.push(`${path.join(".")}.timeout: Expected a time such as 500ms, 5s or 2m, or none`)
  }
  return filled(server, path, issues)
}

const format = SchemaIssue.makeFormatterStandardSchemaV1()

const take = <A>(
  schema: Schema.Codec<A, unknown>,
  path: ReadonlyArray<string>,
  value: unknown,
  issues: Array<string>,
  options?: SchemaAST.ParseOptions
): A | undefined => {
  const decoded = Schema.decodeUnknownResult(schema, { errors: "all", ...options })(value)
  if (Result.isSuccess(decoded)) return decoded.success
  for (const issue of format(decoded.failure.issue).issues) {
    const at = [
      ...path,
      ...(issue.path ?? []).map((segment) => String(typeof segment === "object" ? segment.key : segment))
    ]
    issues.push(`${at.join(".")}: ${issue.message}`)
  }
  return undefined
}

/** Refuses members that nobody knows, where they are ours: a rule with a mistake in its name would be no rule. */
const closed = (
  schema: Schema.Codec<unknown, unknown>,
  path: ReadonlyArray<string>,
  value: unknown,
  issues: Array<string>
): void => {
  if (value !== undefined) take(schema, path, value, issues, { onExcessProperty: "error" })
}

/** Fills in the environment variables of a text. */
const filler = (path: ReadonlyArray<string>, issues: Array<string>) => (place: string) => (text: string) =>
  HostConfig.substitute(text, (name, otherwise) => {
    const value = process.env[name]
    if (value === undefined && otherwise === undefined) {
      issues.push(`${[...path, place].join(".")}: the variable ${name} is not set`)
    }
    return value
  })

/** Environment variables in the values for secrets and folders. */
const filled = (server: Server, path: ReadonlyArray<string>, issues: Array<string>): Server => {
  const one = filler(path, issues)
  const all = (place: string, record: { readonly [name: string]: string } | undefined) =>
    Object.fromEntries(Object.entries(record ?? {}).map(([name, text]) => [name, one(`${place}.${name}`)(text)]))
  return "url" in server
    ? { ...server, url: one("url")(server.url), headers: all("headers", server.headers) }
    : {
      ...server,
      command: one("command")(server.command),
      args: (server.args ?? []).map((arg, index) => one(`args.${index}`)(arg)),
      env: all("env", server.env),
      ...(server.cwd === undefined ? undefined : { cwd: one("cwd")(server.cwd) })
    }
}

/** The same in what names the gateway at its issuer. */
const filledAuth = (auth: typeof Auth.Type, issues: Array<string>): typeof Auth.Type => {
  const one = filler(["auth"], issues)
  const { client, issuer, resource } = auth
  return {
    ...auth,
    issuer: one("issuer")(issuer),
    resource: one("resource")(resource),
    ...(client !== undefined && {
      client: {
        id: one("client.id")(client.id),
        ...(client.secret !== undefined && { secret: one("client.secret")(client.secret) })
      }
    })
  }
}
