/** Servers that ask for credentials: their challenges, and the metadata that leads to an authorization server. */
import { HttpFetcher } from "@parley/http/shared/client"
import { JsonObject } from "@parley/protocol/shared"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import { type Finding, NotApplicable, type Passed, Unverified } from "../../../../Suite.ts"
import type { Http } from "../../../../Target.ts"
import * as Json from "../../../probe/Json.ts"
import { initializeParams } from "../../../protocol/mcp/Conversation.ts"
import * as Wire from "../../../protocol/mcp/Wire.ts"
import * as Rule from "../Rule.ts"
import type { Subject } from "../Subject.ts"

const page = (anchor: string) => Rule.section("2025-11-25", `basic/authorization#${anchor}`)

/** What an anonymous client is answered, or one with other credentials. */
const begin = ({ found, run: { patience, target } }: Subject, authorization: string | undefined) =>
  Effect.gen(function*() {
    if (target._tag !== "Http") return yield* new NotApplicable({ reason: "the endpoint is none of HTTP" })
    const modern = found.modern?.codec
    const envelope = modern === undefined ? undefined : Wire.envelopeOf(modern)
    const wire = yield* Wire.open({ target, patience, envelope })
    const headers = { authorization }
    const { http } = yield* modern === undefined
      ? wire.request("initialize", initializeParams("2025-11-25"), { headers })
      : wire.request("server/discover", undefined, { headers })
    return { ...yield* Rule.headOf(http), target }
  })

/** The challenge of a server that serves no anonymous client. */
const challenge = Rule.once((subject: Subject) =>
  Effect.scoped(Effect.gen(function*() {
    const { header, heads, status, target } = yield* begin(subject, undefined)
    return status < 400
      ? yield* new NotApplicable({ reason: "the server asks for no credentials" })
      : { heads, status, target, demand: header("www-authenticate") }
  }))
)

const challenges: Rule.McpRule = {
  id: "mcp/auth/challenge",
  title: "A request without credentials is answered with 401, and a challenge in WWW-Authenticate",
  level: "must",
  section: page("error-handling"),
  check: (subject) =>
    Effect.scoped(
      Effect.map(challenge(subject), ({ demand, heads, status }) =>
        status === 401 && demand !== undefined ? [] : [Rule.finding(
          "the status 401 with WWW-Authenticate",
          `the status ${status} ${demand === undefined ? "without it" : "with it"}`,
          heads
        )])
    )
}

const invalid: Rule.McpRule = {
  id: "mcp/auth/invalid-token",
  title: "A token that is invalid is answered with 401",
  level: "must",
  section: page("token-handling"),
  check: (subject) =>
    Effect.scoped(Effect.gen(function*() {
      const { demand } = yield* challenge(subject)
      if (!isBearer(demand)) return yield* new NotApplicable({ reason: "the server asks for no token of OAuth" })
      const { heads, status } = yield* begin(subject, "Bearer parley-conform-invalid")
      return status === 401 ? [] : [Rule.finding("the status 401", `the status ${status}`, heads)]
    }))
}

const session: Rule.McpRule = {
  id: "mcp/auth/session",
  title: "The id of a session stands for no credentials",
  level: "must",
  section: Rule.hijacking,
  check: (subject) =>
    Effect.scoped(Effect.gen(function*() {
      yield* challenge(subject)
      const dialogue = subject.dialogues.find(({ era }) => era === "legacy")
      if (dialogue === undefined) return yield* new Unverified({ reason: "the credentials open no session" })
      const conversation = yield* dialogue.shared
      if (conversation.session.id === undefined) {
        return yield* new NotApplicable({ reason: "the server assigns no session" })
      }
      const reply = yield* conversation.request("ping", undefined, { headers: { authorization: undefined } })
      return reply.outcome._tag === "Result"
        ? [Rule.finding("the status 401", "a result without credentials", reply.http?.heads)]
        : []
    }))
}

const isBearer = (demand: string | undefined): boolean => /^bearer\b/i.test(demand ?? "")

const metadata: Rule.McpRule = {
  id: "mcp/auth/metadata",
  title: "The metadata of the protected resource can be read, and names an authorization server",
  level: "must",
  section: page("authorization-server-location"),
  check: (subject) =>
    Effect.scoped(Effect.gen(function*() {
      const { demand, heads, target } = yield* challenge(subject)
      if (!isBearer(demand)) return yield* new NotApplicable({ reason: "the server asks for no token of OAuth" })
      const [, named] = /resource_metadata\s*=\s*"?([^",\s]+)/i.exec(demand ?? "") ?? []
      const places = named === undefined ? wellKnown(target.url) : [named]
      let last: ReadonlyArray<Passed> = heads
      for (const place of places) {
        const { passed, status, text } = yield* read(target, place)
        last = [...heads, ...passed]
        if (status === 200) return judge(text, last)
      }
      return [Rule.finding(`metadata at ${places.join(" or ")}`, "none", last)]
    }))
}

/** Where clients look when the challenge does not say (RFC 9728, section 3.1). */
const wellKnown = (endpoint: string): ReadonlyArray<string> => {
  const { origin, pathname } = new URL(endpoint)
  const root = `${origin}/.well-known/oauth-protected-resource`
  return pathname === "/" ? [root] : [`${root}${pathname}`, root]
}

/** The most of a document that is read, in bytes. */
const mostDocument = 1024 * 1024

const read = ({ fetcher }: Http, url: string) =>
  Effect.scoped(Effect.gen(function*() {
    const response = yield* fetcher.fetch({ method: "GET", url, headers: { accept: "application/json" } })
    const text = yield* HttpFetcher.text(response, mostDocument)
    return { status: response.status, text, passed: passedOf(url, `HTTP ${response.status}\n\n${text}`) }
  })).pipe(
    Effect.catch(({ message }) => Effect.succeed({ status: 0, text: "", passed: passedOf(url, message) }))
  )

const passedOf = (url: string, received: string): ReadonlyArray<Passed> => [
  { direction: "sent", text: `GET ${url}` },
  { direction: "received", text: received }
]

const judge = (text: string, passed: ReadonlyArray<Passed>): ReadonlyArray<Finding> => {
  const document = Option.getOrUndefined(Json.parse(text))
  const fault = faultOf(document)
  return fault === undefined ? [] : [Rule.finding("metadata with resource and authorization_servers", fault, passed)]
}

const faultOf = (document: Schema.Json | undefined): string | undefined => {
  if (!JsonObject.isObject(document)) return "no object of JSON"
  const { authorization_servers: servers, resource } = document
  if (typeof resource !== "string" || !URL.canParse(resource)) return "a resource that is no URL"
  return JsonObject.isArray(servers) && servers.length > 0 && servers.every(isUrl)
    ? undefined
    : "authorization_servers without a URL"
}

const isUrl = (json: Schema.Json): boolean => typeof json === "string" && URL.canParse(json)

export const rules: ReadonlyArray<Rule.McpRule> = [challenges, invalid, metadata, session]
