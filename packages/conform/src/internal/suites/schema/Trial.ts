/** One call of an operation with a value of its schema, and what came of it. */
import * as SchemaCheck from "@parley/json-schema/SchemaCheck"
import { ErrorCode, Excerpt } from "@parley/protocol/shared"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { Finding, NotApplicable, Passed, Unverified } from "../../../Suite.ts"
import * as Json from "../../probe/Json.ts"
import type { Called, Operation, Run, Spoken } from "../../protocol/Protocol.ts"
import type { Misfit } from "../../values/Values.ts"

/** The outcome of a call. */
export type Outcome =
  | Called
  /** No answer came, but the server answers other requests. */
  | { readonly _tag: "Slow" }
  /** No answer came, and none to what was asked then. */
  | { readonly _tag: "Blocked" }
  /** The connection has ended. */
  | { readonly _tag: "Ended"; readonly reason: string }
  /** Nothing was sent: the protocol cannot write such arguments. */
  | { readonly _tag: "Unsent" }

/** A call that was made. */
export interface Trial {
  readonly protocol: Spoken["name"]
  readonly operation: Operation
  readonly input: Schema.JsonObject
  /** The fault of the input, where it does not fit. */
  readonly misfit: Misfit | undefined
  readonly outcome: Outcome
  readonly exchange: ReadonlyArray<Passed>
}

/** Calls an operation on the line that rules share. */
export const make = Effect.fnUntraced(function*(
  run: Run,
  operation: Operation,
  input: Schema.JsonObject,
  misfit: Misfit | undefined
): Effect.fn.Return<Trial, NotApplicable | Unverified> {
  const line = yield* run.shared
  const at = line.passed().length
  const called = yield* Effect.option(operation.call(line, input))
  const exchange = line.passed().slice(at)
  const trial = { protocol: run.spoken.name, operation, input, misfit, exchange }
  if (called._tag === "Some") return { ...trial, outcome: called.value }
  if (exchange.length === 0) return { ...trial, outcome: { _tag: "Unsent" } }
  const reason = line.ended()
  if (reason === undefined) {
    const alive = yield* Effect.option(line.ask(aliveness, Json.hasResponse))
    if (alive._tag === "Some" && alive.value.isWhole) return { ...trial, outcome: { _tag: "Slow" } }
  }
  yield* run.renew
  return { ...trial, outcome: reason === undefined ? { _tag: "Blocked" } : { _tag: "Ended", reason } }
})

/** A request that any server answers at once. */
const aliveness = `{"jsonrpc":"2.0","id":"parley-alive","method":"parley.conform.alive"}`

/** The faults that an answer may have. */
export type Kind =
  /** There is no such method. */
  | "absent"
  /** A value that fits was refused because it does not. */
  | "refused"
  /** The same by a check of schemas, as its words tell. */
  | "checked"
  /** A value that does not fit was accepted, or the server has failed with it. */
  | "accepted"
  /** It was refused, and not as the protocol refuses arguments. */
  | "odd"
  /** The result does not fit. */
  | "result"
  /** The server says that it has failed with a value that fits. */
  | "internal"
  /** The server has ended, or answers nothing any more. */
  | "lost"

/** Tells whether a trial shows a kind of fault. */
export const shows = (trial: Trial, kind: Kind): boolean => {
  const { misfit, outcome } = trial
  switch (kind) {
    case "absent":
      return isAbsent(outcome)
    case "refused":
      return misfit === undefined && outcome._tag === "Refused" && isOfShape(trial, outcome.message)
    case "checked":
      return misfit === undefined && outcome._tag === "Refused" && checker.test(outcome.message)
    case "accepted":
      return misfit !== undefined && (outcome._tag === "Accepted" || isInternal(outcome))
    case "odd":
      return misfit !== undefined && outcome._tag === "Failed" && !isInternal(outcome) && !isAbsent(outcome)
    case "result":
      return misfit === undefined && resultFault(trial) !== undefined
    case "internal":
      return misfit === undefined && isInternal(outcome)
    case "lost":
      // Arguments that fit may ask for long work, and those that do not fit ask for none.
      return outcome._tag === "Ended" || (outcome._tag === "Blocked" && misfit !== undefined)
  }
}

/** Tells whether an answer says that there is no such method. */
export const isAbsent = (outcome: Outcome): boolean =>
  outcome._tag === "Failed" && outcome.code === ErrorCode.MethodNotFound

const isInternal = (outcome: Outcome): boolean => outcome._tag === "Failed" && outcome.code === ErrorCode.InternalError

/** The words of what checks arguments against schemas: zod, pydantic, `ajv`, the SDKs of MCP and Effect. */
// linear: words, and one run of at most 20 letters
const checker = new RegExp(
  [
    "input validation error",
    "invalid arguments for",
    "invalid_(?:type|union|value|format)",
    "too_(?:small|big)",
    "unrecognized_keys",
    "validation errors? for",
    "must have required property",
    "must be equal to (?:one of|constant)",
    "must match pattern",
    "must not have (?:fewer|more|additional)",
    "must be (?:string|number|integer|object|array|boolean|null)\\b",
    "expected [a-z]{1,20}, (?:received|got|actual)"
  ].join("|"),
  "i"
)

/** Only plain JSON-RPC has a code of its own for arguments of a wrong shape. A tool says in words why it has failed. */
const isOfShape = ({ protocol }: Trial, message: string): boolean => protocol !== "mcp" || checker.test(message)

const checks = new WeakMap<Operation, SchemaCheck.Check>()

/** The fault of a call's result, or `undefined`. */
export const resultFault = ({ operation, outcome }: Trial): string | undefined => {
  const { output } = operation
  if (outcome._tag !== "Accepted" || output === undefined) return undefined
  if (outcome.value === undefined) return "there is no result that the schema describes"
  let check = checks.get(operation)
  if (check === undefined) checks.set(operation, check = SchemaCheck.make(output))
  const issue = check(outcome.value)
  if (issue === undefined || issue.isUndecided === true) return undefined
  return `at ${Excerpt.quoted(`/${issue.path.join("/")}`)} ${issue.rule}`
}

/** A breach that a trial shows. */
export const findingOf = (trial: Trial, expected: string): Finding => ({
  expected: `${expected}, for ${called(trial)}`,
  received: describe(trial),
  exchange: trial.exchange
})

const called = ({ input, misfit, operation }: Trial): string => {
  const wrong = misfit === undefined
    ? "which fits"
    : `which breaks ${misfit.keyword} at ${misfit.pointer === "" ? "the whole" : Excerpt.quoted(misfit.pointer)}`
  return `${Excerpt.name(operation.name)} with ${Excerpt.line(JSON.stringify(input))}, ${wrong}`
}

const describe = (trial: Trial): string => {
  const { outcome } = trial
  switch (outcome._tag) {
    case "Accepted": {
      const fault = trial.misfit === undefined ? resultFault(trial) : undefined
      const value = outcome.value === undefined ? "" : ` ${Excerpt.line(JSON.stringify(outcome.value))}`
      return fault === undefined ? `it was accepted:${value}` : `the result${value}: ${fault}`
    }
    case "Refused":
      return `it was refused: ${Excerpt.line(outcome.message)}`
    case "Failed":
      return `the error ${outcome.code ?? "without a code"}: ${Excerpt.line(outcome.message)}`
    case "Ended":
      return `the end of the connection: ${outcome.reason}`
    case "Blocked":
      return "no answer in time, and none to another request"
    case "Slow":
      return "no answer in time"
    case "Unsent":
      return "nothing was sent"
  }
}
