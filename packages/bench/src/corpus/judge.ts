/**
 * Judges answers to those cases of the corpus that the specification decides.
 *
 * An answer is judged by what the specification fixes: its ids by their value, results by their JSON, errors by their
 * code. These are free: the message and the data of an error, the code with which a method that throws is answered, the
 * order of a batch, and whether an invalid request is answered with its id or with null.
 */
import * as Corpus from "@parley/conformance/Corpus"

export type Group = "examples" | "json" | "batches" | "messages"

const specification = "https://www.jsonrpc.org/specification"

export const groupOf = ({ section }: Corpus.WireCase): Group => {
  if (section === `${specification}#examples`) return "examples"
  if (section === `${specification}#batch`) return "batches"
  return section.startsWith(specification) ? "messages" : "json"
}

/** The specification does not say how a server treats responses, nor how long or deep a text may be. */
const isOpen = ({ name }: Corpus.WireCase): boolean => /\bresponses?\b|^no JSON: .*levels|^batch: 1,001 /.test(name)

export const decided: ReadonlyArray<Corpus.WireCase> = Corpus.corpus.filter((one) => !isOpen(one))

const invalidRequest = -32600
const internalError = -32603

type Reviver = (this: unknown, key: string, value: unknown, context?: { readonly source?: string }) => unknown

/** `JSON` with the source texts of ECMAScript 2026. */
const json: { readonly parse: (text: string, reviver: Reviver) => unknown } = JSON

/** Sign, digits and exponent, so that `1.50`, `1.5` and `15e-1` are one number, and two numbers of many digits are two. */
const valueOf = (source: string): string => {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(source) ?? []
  const digits = (whole + fraction).replace(/^0+/, "")
  const significant = digits.replace(/0+$/, "") // linear: ids of the corpus have at most 1,000 characters
  if (significant === "") return "0"
  return `${sign}${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`
}

/** The JSON of an answer, with the value of a numeric id as a text that no string id can be. */
const read = (text: string): unknown => {
  const values = new Map<unknown, readonly [value: string]>()
  const root = json.parse(text, function(key, value, context) {
    if (key === "id" && typeof value === "number" && context?.source !== undefined) {
      values.set(this, [valueOf(context.source)])
    }
    return value
  })
  const withValue = (response: unknown): unknown =>
    isNested(response) && values.has(response) ? { ...response, id: values.get(response) } : response
  return Array.isArray(root) ? root.map(withValue) : withValue(root)
}

const isNested = (value: unknown): value is { readonly [key: string]: unknown } =>
  typeof value === "object" && value !== null

const isEqual = (expected: unknown, actual: unknown): boolean => {
  if (!isNested(expected) || !isNested(actual)) return expected === actual
  if (Array.isArray(expected) !== Array.isArray(actual)) return false
  const keys = new Set([...Object.keys(expected), ...Object.keys(actual)])
  return [...keys].every((key) => isEqual(expected[key], actual[key]))
}

const isError = (expected: unknown, actual: unknown): boolean =>
  isNested(expected) && isNested(actual) && Number.isInteger(actual["code"]) && typeof actual["message"] === "string"
  && (expected["code"] === internalError || expected["code"] === actual["code"])

/** Whether the id of an invalid request can be read is for the server to say: its own id and null are both right. */
const isRefusal = (error: unknown): boolean => isNested(error) && error["code"] === invalidRequest

const isResponse = (expected: unknown, actual: unknown): boolean => {
  if (!isNested(expected) || !isNested(actual) || actual["jsonrpc"] !== "2.0") return false
  if (!isEqual(expected["id"], actual["id"]) && !(isRefusal(expected["error"]) && actual["id"] === null)) return false
  const [own, other] = "error" in expected ? ["error", "result"] as const : ["result", "error"] as const
  if (!Object.hasOwn(actual, own) || Object.hasOwn(actual, other)) return false
  return own === "error" ? isError(expected[own], actual[own]) : isEqual(expected[own], actual[own])
}

/** Responses of a batch may stand in any order; equal ids are told apart by what they answer. */
const isBatch = (expected: ReadonlyArray<unknown>, actual: ReadonlyArray<unknown>): boolean => {
  const left = [...actual]
  return expected.length === actual.length && expected.every((response) => {
    const at = left.findIndex((one) => isResponse(response, one))
    if (at >= 0) left.splice(at, 1)
    return at >= 0
  })
}

/** Whether this is the answer of the case; `undefined` stands for none. */
export const isRight = ({ reply }: Corpus.WireCase, answer: string | undefined): boolean => {
  if (reply === undefined || answer === undefined) return reply === answer
  try {
    const [expected, actual] = [read(reply), read(answer)]
    return Array.isArray(expected)
      ? Array.isArray(actual) && isBatch(expected, actual)
      : isResponse(expected, actual)
  } catch {
    return false
  }
}
