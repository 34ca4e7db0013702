/**
 * The rules of JSON-RPC 2.0 for a server whose methods are not known. Each takes its texts from the corpus of wire cases; a
 * text belongs to the first rule that names it.
 *
 * Cases that go beyond the specification (spelling of numbers, limits of depth and of batches) are asked of our own
 * server alone.
 */
import type * as Corpus from "@parley/conformance/Corpus"
import type { Level } from "../../../Suite.ts"
import type { Usage } from "../../protocol/Protocol.ts"
import type { Leniency } from "./Judge.ts"

/** A rule as data. */
export interface CorpusRule {
  readonly id: string
  readonly title: string
  readonly level: Level
  readonly section: string
  readonly has: (one: Corpus.WireCase) => boolean
  readonly leniency?: Leniency
  /** Why the rule says nothing about servers of a protocol. */
  readonly apart?: (usage: Usage) => string | undefined
}

const specification = "https://www.jsonrpc.org/specification"

const isNamed = (pattern: RegExp) => ({ name }: Corpus.WireCase): boolean => pattern.test(name)

const isIn = (fragment: string) => ({ section }: Corpus.WireCase): boolean => section.endsWith(`#${fragment}`)

const batches = ({ batches }: Usage): string | undefined => batches ? undefined : "the protocol has no batches"

const nullIds = ({ nullIds }: Usage): string | undefined =>
  nullIds ? undefined : "the protocol has no ids that are null"

/** The cases that only our own server promises. */
const own: ReadonlyArray<(one: Corpus.WireCase) => boolean> = [
  isNamed(/^no JSON: .*(levels|100,000)/),
  isNamed(/^JSON: (512 levels|a number beyond|the last of|a key rawJSON|a __proto__|keys that objects)/),
  isNamed(
    /^batch: (1,00[01]|an object with an index|errors of every kind|a batch in a batch|a batch beside|.*long ids|ids beyond)/
  ),
  isNamed(
    /^id (1\.50|0\.10|1e21|1E21|1e\+21|1e400|-1e400|5e-324|1\.0|-0|1e2|15e-1|1\.0{3}|3\.14|"\\ud800")/
  ),
  isNamed(/^id 9007199254740993 of /),
  isNamed(/^(an escaped key is|the last of two long|an escaped method|the id of the payload)/),
  isNamed(/^unknown method ".*(\\ud800|xxxx)/),
  // A server may say of an empty name that it is none, and of half a character that it has no text (RFC 8259, section 8.2).
  isNamed(/^(unknown method ""|a notification of the empty method|JSON: a lone surrogate)/),
  // Alone, these are asked of by rules that say SHOULD.
  isNamed(/^batch: a member (without a version|whose id is an array)/)
]

/** In the order in which they are asked which texts are theirs. */
export const rules: ReadonlyArray<CorpusRule> = [
  {
    id: "jsonrpc/parse-error",
    title: "A text that is cut off or no JSON at all is answered with -32700 and the id null",
    level: "must",
    section: `${specification}#error_object`,
    has: isNamed(
      /^(call with invalid JSON|batch, invalid JSON|no JSON: (an opening|a closing b|a bare word|a request cut|two commas|a missing|brackets that|a batch that|a batch closed|a string that is not|XML|a comma$))/
    )
  },
  {
    id: "jsonrpc/json-extensions",
    title: "A text that only a lenient parser reads is answered with -32700",
    level: "should",
    section: "https://www.rfc-editor.org/rfc/rfc8259#section-9",
    has: isNamed(/^no JSON: /)
  },
  {
    id: "jsonrpc/batch-empty",
    title: "An empty batch is answered with one -32600, and no array",
    level: "must",
    section: `${specification}#batch`,
    has: isNamed(/^(call with an empty array|batch: spaces in an empty batch)$/),
    apart: batches
  },
  {
    id: "jsonrpc/batch-notifications",
    title: "A batch of notifications is not answered, not even with an empty array",
    level: "must",
    section: `${specification}#batch`,
    has: (one) => isNamed(/batch/)(one) && one.reply === undefined && !/response/.test(one.name),
    apart: batches
  },
  {
    id: "jsonrpc/batch-invalid",
    title: "Each invalid member of a batch costs one -32600 in its array",
    level: "must",
    section: `${specification}#batch`,
    has: isNamed(/^(call with an invalid batch|batch: (null|an empty|scalars|an invalid member|a member))/),
    leniency: { nullId: true },
    apart: batches
  },
  {
    id: "jsonrpc/batch-reply",
    title: "A batch is answered with one array that has a response for each request",
    level: "must",
    section: `${specification}#batch`,
    has: (one) => isNamed(/^(batch: |call with a batch$)/)(one) && !/response/.test(one.name),
    leniency: { nullId: true },
    apart: batches
  },
  {
    id: "jsonrpc/batch-responses",
    title: "Responses in a batch are not answered",
    level: "should",
    section: `${specification}#batch`,
    has: isNamed(/^batch: .*response/),
    apart: batches
  },
  {
    id: "jsonrpc/member-names",
    title: "Members whose names have another case, or that only a response has, change nothing",
    level: "should",
    section: `${specification}#conventions`,
    has: isNamed(
      /^(I[dD] is no id|Method is no|Params is an extra|a (notification|bad method) with (a result|an error)|a notification with extra)/
    ),
    leniency: { nullId: true }
  },
  {
    id: "jsonrpc/notification-silent",
    title: "A notification is not answered, not even with an error",
    level: "must",
    section: `${specification}#notification`,
    has: (one) => one.reply === undefined && (isIn("notification")(one) || isNamed(/^a notification|is no id$/)(one))
  },
  {
    id: "jsonrpc/response-silent",
    title: "A text in the shape of a response is not answered: an error with its id might end an innocent call",
    level: "should",
    section: `${specification}#response_object`,
    has: (one) => one.reply === undefined
  },
  {
    id: "jsonrpc/version",
    title: "A request whose `jsonrpc` is not exactly \"2.0\" is refused with -32600",
    level: "should",
    section: `${specification}#request_object`,
    has: isNamed(/version|^JSONRPC/),
    leniency: { nullId: true }
  },
  {
    id: "jsonrpc/params-structured",
    title: "Params that are neither an array nor an object are refused",
    level: "should",
    section: `${specification}#parameter_structures`,
    has: isNamed(/^params (null|true|false|0|1|""|"bar")|with bad params/),
    leniency: { nullId: true, codes: [-32602, -32601] }
  },
  {
    id: "jsonrpc/id-type",
    title: "A request whose id is no string, number or null is refused with -32600 and the id null",
    level: "should",
    section: `${specification}#request_object`,
    has: isNamed(/is no id/)
  },
  {
    id: "jsonrpc/invalid-request",
    title: "JSON that is no request is refused with -32600",
    level: "must",
    section: `${specification}#error_object`,
    has: (one) => one.reply?.includes("-32600") === true,
    leniency: { nullId: true }
  },
  {
    id: "jsonrpc/method-not-found",
    title: "A method that does not exist is answered with -32601",
    level: "must",
    section: `${specification}#error_object`,
    has: isNamed(/^(unknown method|call of a non-existent)/)
  },
  {
    id: "jsonrpc/id-null",
    title: "A request with the id null is answered: it is no notification",
    level: "must",
    section: `${specification}#request_object`,
    has: isNamed(/\bid null\b/),
    apart: nullIds
  },
  {
    id: "jsonrpc/id-digits",
    title: "A number beyond 2^53 or with a fraction comes back as the same number",
    level: "should",
    section: `${specification}#response_object`,
    has: isNamed(/^id -?(\d{16,}…?|\d+\.\d+) /)
  },
  {
    id: "jsonrpc/id-same",
    title: "The id of a response is that of its request, with the same type",
    level: "must",
    section: `${specification}#response_object`,
    has: isNamed(/^id /),
    leniency: { anyCode: true }
  },
  {
    id: "jsonrpc/extra-members",
    title: "Members that a request has besides are ignored",
    level: "should",
    section: `${specification}#request_object`,
    has: isNamed(/^(an extra |a request with a(n error| result))/)
  },
  {
    id: "jsonrpc/request-answered",
    title: "A request is answered however its JSON is spelled",
    level: "must",
    section: `${specification}#response_object`,
    has: () => true
  }
]

/** The rule of a text, where others than our own server are asked. */
export const ruleOf = (one: Corpus.WireCase): CorpusRule | undefined =>
  own.some((has) => has(one)) ? undefined : rules.find(({ has }) => has(one))
