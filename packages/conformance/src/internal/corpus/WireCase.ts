/**
 * One text to a server and the answer that it must give, and how an answer is compared with that one.
 *
 * @since 0.1.0
 */
import type { Verdict } from "../laws/Law.ts"

/**
 * A text that a server with the specimen methods receives as its first, and what it must answer.
 *
 * The specimen methods: `echo` returns its params, or null where there are none; `subtract` takes
 * `[minuend, subtrahend]` or both by name; `sum` takes numbers by position; `get_data` returns `["hello", 5]`; `fail`
 * answers the error 1234; `crash` dies; `update`, `notify_hello` and `notify_sum` return null.
 *
 * @category models
 * @since 0.1.0
 */
export interface WireCase {
  /** The case in a few words. */
  readonly name: string
  /** The section that decides. */
  readonly section: string
  /** The text that is sent. */
  readonly input: string
  /** The expected answer, for `compare`; `undefined` where the server must not answer. */
  readonly reply: string | undefined
}

/**
 * Whether a framing by lines can carry a text: it has no line break, and is not empty.
 *
 * @category predicates
 * @since 0.1.0
 */
export const isLine = ({ input }: WireCase): boolean => !/[\r\n]/.test(input) && input.trim() !== ""

/**
 * Says what is wrong with an answer, or gives `undefined`. Answers are compared as JSON, ids to the last digit, batches
 * in order; an error by its code, its message, and its data where the case has any.
 *
 * @category predicates
 * @since 0.1.0
 */
export const compare = ({ reply }: WireCase, answer: string | undefined): Verdict => {
  if (reply === undefined || answer === undefined) {
    return reply === answer ? undefined : `${answer ?? "nothing"} should be ${reply ?? "nothing"}`
  }
  const [expected, actual] = [read(reply), read(answer)]
  return isSame(expected, actual) ? undefined : `${answer} should be ${reply}`
}

type Reviver = (this: unknown, key: string, value: unknown, context?: { readonly source?: string }) => unknown

/** `JSON` with the source texts of ECMAScript 2026, without which ids are compared as JavaScript's numbers. */
const json: { readonly parse: (text: string, reviver: Reviver) => unknown } = JSON

/** The JSON of an answer, with the source texts of numeric ids in their place. */
const read = (text: string): unknown => {
  const sources = new Map<unknown, string>()
  const root = json.parse(text, function(key, value, context) {
    if (key === "id" && typeof value === "number" && context?.source !== undefined) sources.set(this, context.source)
    return value
  })
  const withSource = (response: unknown): unknown =>
    isNested(response) && sources.has(response) ? { ...response, id: sources.get(response) } : response
  return Array.isArray(root) ? root.map(withSource) : withSource(root)
}

const isSame = (expected: unknown, actual: unknown, of = ""): boolean => {
  if (!isNested(expected) || !isNested(actual)) return expected === actual
  if (Array.isArray(expected) !== Array.isArray(actual)) return false
  const keys = new Set([...Object.keys(expected), ...Object.keys(actual)])
  if (of === "error" && !Object.hasOwn(expected, "data")) keys.delete("data")
  return [...keys].every((key) => Object.hasOwn(actual, key) && isSame(expected[key], actual[key], key))
}

const isNested = (value: unknown): value is { readonly [key: string]: unknown } =>
  typeof value === "object" && value !== null

/** The reply of a request that succeeds, from the texts of its id and its result. */
export const success = (id: string, result: string): string => `{"jsonrpc":"2.0","id":${id},"result":${result}}`

/** The reply of a request that fails, from the text of its id. */
export const failure = (id: string, [code, message, data]: Failure): string =>
  `{"jsonrpc":"2.0","id":${id},"error":{"code":${code},"message":${JSON.stringify(message)}${
    data === undefined ? "" : `,"data":${data}`
  }}}`

/** A code, a message, and data as text where the case asks for it. */
export type Failure = readonly [code: number, message: string, data?: string]

export const parseError: Failure = [-32700, "Parse error"]
export const invalidRequest: Failure = [-32600, "Invalid Request"]
export const methodNotFound: Failure = [-32601, "Method not found"]
export const invalidParams: Failure = [-32602, "Invalid params"]
export const internalError: Failure = [-32603, "Internal error"]
export const applicationError: Failure = [1234, "Application error", `{"detail":"boom"}`]

/** A request from texts: members are left out where they are `undefined`. */
export const request = (method: string, id: string | undefined, params?: string): string => {
  const members = [`"jsonrpc":"2.0"`, `"method":${JSON.stringify(method)}`]
  if (params !== undefined) members.push(`"params":${params}`)
  if (id !== undefined) members.push(`"id":${id}`)
  return `{${members.join(",")}}`
}

/** Cases that share a section. */
export const cases = (
  section: string,
  rows: ReadonlyArray<readonly [name: string, input: string, reply: string | undefined]>
): ReadonlyArray<WireCase> => rows.map(([name, input, reply]) => ({ name, section, input, reply }))

const specification = "https://www.jsonrpc.org/specification"

/** The sections that the cases cite. */
export const sections = {
  compatibility: `${specification}#compatibility`,
  requestObject: `${specification}#request_object`,
  notification: `${specification}#notification`,
  parameterStructures: `${specification}#parameter_structures`,
  responseObject: `${specification}#response_object`,
  errorObject: `${specification}#error_object`,
  batch: `${specification}#batch`,
  examples: `${specification}#examples`,
  extensions: `${specification}#extensions`,
  jsonGrammar: "https://www.rfc-editor.org/rfc/rfc8259#section-2",
  jsonObjects: "https://www.rfc-editor.org/rfc/rfc8259#section-4",
  jsonNumbers: "https://www.rfc-editor.org/rfc/rfc8259#section-6",
  jsonStrings: "https://www.rfc-editor.org/rfc/rfc8259#section-7",
  jsonEncoding: "https://www.rfc-editor.org/rfc/rfc8259#section-8.1",
  jsonParsers: "https://www.rfc-editor.org/rfc/rfc8259#section-9"
} as const
