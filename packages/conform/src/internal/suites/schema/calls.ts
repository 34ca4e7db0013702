/** Rules about what a server does with values of the schemas that it declares. */
import * as Subschemas from "@parley/json-schema/Subschemas"
import { Excerpt } from "@parley/protocol/shared"
import * as Effect from "effect/Effect"
import { type Finding, NotApplicable, type Rule, Unverified } from "../../../Suite.ts"
import type { Operation, Run } from "../../protocol/Protocol.ts"
import * as Values from "../../values/Values.ts"
import type { Exercise } from "./Exercise.ts"
import * as Trial from "./Trial.ts"

/** The operations that the suite has prepared. */
export interface Subject {
  readonly run: Run
  /** All operations of the server. */
  readonly operations: ReadonlyArray<Operation>
  /** Those that may be called. */
  readonly callable: ReadonlyArray<Operation>
  /** Calls them once for all rules. */
  readonly exercise: Effect.Effect<Exercise, NotApplicable | Unverified>
}

/** How many findings of one rule are told: those that follow are of one kind with them. */
export const mostFindings = 20

/** The trials of a subject, where there are any. */
const trialsOf = ({ callable, exercise, operations }: Subject) =>
  Effect.gen(function*() {
    if (callable.length === 0) {
      const names = operations.map(({ name }) => Excerpt.name(name)).slice(0, 8).join(", ")
      const reason =
        `none of the ${operations.length} operations says that it only reads (${names}): --write calls them, too`
      return yield* new NotApplicable({ reason })
    }
    const { trials, without } = yield* exercise
    if (trials.length === 0) {
      const names = without.map(({ name }) => Excerpt.name(name)).join(", ")
      return yield* new Unverified({ reason: `no value was found that fits the schemas of ${names}` })
    }
    return trials
  })

/** The plainest trial of each group: the one with the shortest input. */
const plainest = (
  trials: ReadonlyArray<Trial.Trial>,
  groupOf: (trial: Trial.Trial) => string
): ReadonlyArray<Trial.Trial> => {
  const sizeOf = ({ input }: Trial.Trial) => JSON.stringify(input).length
  const sorted = trials.toSorted((one, other) => sizeOf(one) - sizeOf(other))
  return Array.from(Map.groupBy(sorted, groupOf).values(), ([first]) => first)
    .filter((trial) => trial !== undefined).slice(0, mostFindings)
}

const byOperation = ({ operation }: Trial.Trial): string => operation.name

const byKeyword = ({ misfit, operation }: Trial.Trial): string => `${operation.name} ${misfit?.keyword ?? ""}`

/** A rule that holds where no trial shows a kind of fault. */
const without = (
  kind: Trial.Kind,
  expected: string,
  groupOf = byOperation,
  isMeant: (trial: Trial.Trial) => boolean = () => true
) =>
(subject: Subject) =>
  Effect.map(
    trialsOf(subject),
    (trials): ReadonlyArray<Finding> =>
      plainest(trials.filter((trial) => Trial.shows(trial, kind) && isMeant(trial)), groupOf)
        .map((trial) => Trial.findingOf(trial, expected))
  )

/** Members that no schema lists are often passed over: that is lenient, and breaks nothing. */
const closed: ReadonlySet<string> = new Set(["additionalProperties", "unevaluatedProperties"])

const isUnknownMember = ({ misfit, outcome }: Trial.Trial): boolean =>
  misfit !== undefined && outcome._tag === "Accepted" && closed.has(misfit.keyword)

const scalars: ReadonlySet<string> = new Set(["string", "number", "boolean"])

/** Whether a text stands for a number, or the like: servers that read the one as the other know what they are given. */
const isReadAsOther = ({ misfit, outcome }: Trial.Trial): boolean => {
  if (
    outcome._tag !== "Accepted" || misfit === undefined || misfit.keyword !== "type" || !scalars.has(misfit.fitting)
  ) return false
  const path = misfit.pointer.split("/").slice(1).map(Subschemas.keyOf)
  const type = typeof Values.valueAt(misfit.value, path)
  return scalars.has(type) && type !== misfit.fitting
}

const invalidParams = "https://www.jsonrpc.org/specification#error_object"

const validation = "https://modelcontextprotocol.io/specification/2025-11-25/server/tools#security-considerations"

export const rules: ReadonlyArray<Rule<Subject>> = [
  {
    id: "schema/served",
    title: "What is declared can be called: it is not answered with -32601",
    level: "should",
    section: invalidParams,
    check: without("absent", "a method that is there")
  },
  {
    id: "schema/accepts",
    title: "Of the arguments that fit the declared schema, not all are refused as invalid",
    level: "must",
    section: invalidParams,
    check: (subject) =>
      Effect.map(trialsOf(subject), (trials) => {
        const groups = Map.groupBy(trials.filter(({ misfit }) => misfit === undefined), ({ operation }) => operation)
        // A method that takes the same params in its other structure knows them.
        const isKnown = (operation: Operation) =>
          trials.some((trial) =>
            trial.operation !== operation && trial.operation.name === operation.name && trial.misfit === undefined &&
            trial.outcome._tag === "Accepted"
          )
        const refused = [...groups].filter(([operation, group]) =>
          group.every((trial) => Trial.shows(trial, isKnown(operation) ? "refused" : "checked"))
        )
        return plainest(refused.flatMap(([, group]) => group), byOperation).map((trial) =>
          Trial.findingOf(trial, "some arguments that fit are accepted, and all were refused")
        )
      })
  },
  {
    id: "schema/accepts-each",
    title: "Arguments that fit the declared schema are not refused as invalid",
    level: "should",
    section: invalidParams,
    check: without("refused", "arguments that fit are not refused as invalid")
  },
  {
    id: "schema/refuses",
    title: "Arguments that do not fit the declared schema are refused",
    level: "must",
    section: validation,
    check: without(
      "accepted",
      "arguments that do not fit are refused",
      byKeyword,
      (trial) => !isUnknownMember(trial) && !isReadAsOther(trial)
    )
  },
  {
    id: "schema/refuses-coerced",
    title: "A text, a number or a boolean in the place of another of these is refused",
    level: "should",
    section: validation,
    check: without("accepted", "a value of another type is refused", byKeyword, isReadAsOther)
  },
  {
    id: "schema/refuses-unknown",
    title: "Arguments with a member that the schema does not allow are refused",
    level: "should",
    section: validation,
    check: without("accepted", "a member that is not allowed is refused", byKeyword, isUnknownMember)
  },
  {
    id: "schema/refusal",
    title: "Arguments that do not fit are refused as invalid: with -32602, or as the protocol says",
    level: "should",
    section: invalidParams,
    check: without("odd", "arguments that do not fit are refused with -32602")
  },
  {
    id: "schema/result",
    title: "Results fit the schema that is declared for them",
    level: "must",
    section: "https://modelcontextprotocol.io/specification/2025-11-25/server/tools#output-schema",
    check: (subject) =>
      Effect.gen(function*() {
        const findings = yield* without("result", "a result that fits the declared schema")(subject)
        if (subject.callable.every(({ output }) => output === undefined)) {
          return yield* new NotApplicable({ reason: "no operation that may be called declares its result" })
        }
        return findings
      })
  },
  {
    id: "schema/survives",
    title: "No arguments end the server, or stop it from answering",
    level: "must",
    section: invalidParams,
    check: without("lost", "an answer")
  },
  {
    id: "schema/internal-error",
    title: "Arguments that fit do not make the server fail with -32603",
    level: "should",
    section: invalidParams,
    check: without("internal", "a result, or an error that says what is wrong")
  }
]
