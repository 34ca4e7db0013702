/** Compares the operations of two contracts: which are gone or new, and what has changed in the others. */
import { type Answer, made } from "../containment/Goal.ts"
import type { SchemaNode } from "../containment/SchemaNode.ts"
import { nodeOf, type Operation, pointerOf, type Surface } from "../Surface.ts"
import type { Change, ValueDirection } from "./Change.ts"
import { changeOf, type Comparison, type Found, type Place, refusal } from "./Comparison.ts"
import { values } from "./values.ts"

/** All changes, in the order of operations. Those of a part that operations share are one. */
export const operations = (comparison: Comparison): ReadonlyArray<Change> => {
  const { after, before } = comparison
  const keys = [...new Set([...before.operations.keys(), ...after.operations.keys()])].toSorted()
  const changes = keys.flatMap((key): ReadonlyArray<Found> => {
    const old = before.operations.get(key)
    const now = after.operations.get(key)
    if (old === undefined) return now === undefined ? [] : added(comparison, key, now)
    return now === undefined ? removed(comparison, key, old) : changed(comparison, key, old, now)
  })
  return shared(changes.map(changeOf))
}

/** Changes of one part are one, with all the operations that use it. */
const shared = (changes: ReadonlyArray<Change>): ReadonlyArray<Change> => {
  const known = new Map<string, Change>()
  for (const [at, change] of changes.entries()) {
    const { direction, operation, place, rule, schemas, verdict } = change
    const name = place.split(/[.[]/).at(-1)
    const key = schemas?.before.startsWith("/schemas/") === true
      ? JSON.stringify([rule, verdict, direction, schemas, name])
      : String(at)
    const first = known.get(key)
    if (first === undefined) known.set(key, change)
    else if (first.operation !== operation && !first.others.includes(operation)) {
      known.set(key, { ...first, others: [...first.others, operation] })
    }
  }
  return [...known.values()]
}

const word = ({ kind }: Operation): string => kind === "template" ? "template of resources" : kind

/** Who sends the params of an operation, seen from the client. */
const sending = ({ direction }: Operation): ValueDirection => direction === "client-to-server" ? "sends" : "gets"

const answering = (operation: Operation): ValueDirection => sending(operation) === "sends" ? "gets" : "sends"

/** A request or notification with the least params. */
const requestOf = (comparison: Comparison, surface: Surface, operation: Operation) => {
  const node = nodeOf(surface, operation, "named") ?? nodeOf(surface, operation, "positional")
  const answer: Answer = node === undefined ? { _tag: "None" } : comparison.example(node)
  return { method: operation.name, ...answer._tag === "Found" && { params: answer.value } }
}

const removed = (comparison: Comparison, key: string, operation: Operation): ReadonlyArray<Found> => {
  const place: Place = { operation: key, path: "", direction: sending(operation), subject: "param" }
  const head = {
    rule: "diff/method-removed",
    place,
    message: `the ${word(operation)} ${operation.name} is gone`
  } as const
  return place.direction === "sends"
    ? [{ ...head, verdict: "breaking", witness: requestOf(comparison, comparison.before, operation) }]
    : [{ ...head, verdict: "compatible" }]
}

/** A client answers requests that it does not know with an error, and takes no notice of notifications. */
const added = (comparison: Comparison, key: string, operation: Operation): ReadonlyArray<Found> => {
  const place: Place = { operation: key, path: "", direction: sending(operation), subject: "param" }
  const head = { rule: "diff/method-added", place, message: `the ${word(operation)} ${operation.name} is new` } as const
  return place.direction === "gets" && operation.kind === "method"
    ? [{
      ...head,
      verdict: "breaking",
      witness: requestOf(comparison, comparison.after, operation),
      reason: "clients do not know a request that they may get now"
    }]
    : [{ ...head, verdict: "compatible" }]
}

const changed = (comparison: Comparison, key: string, old: Operation, now: Operation): ReadonlyArray<Found> => {
  const place = (path: string, direction: ValueDirection, subject: Place["subject"]): Place => ({
    operation: key,
    path,
    direction,
    subject
  })
  return [
    ...kind(comparison, place("", sending(old), "param"), old, now),
    ...params(comparison, place("params", sending(old), "param"), old, now),
    ...result(comparison, place("result", answering(old), "result"), old, now, "result"),
    ...result(comparison, place("items", answering(old), "result"), old, now, "item"),
    ...errors(comparison, place("errors", answering(old), "error"), old, now)
  ]
}

const kind = (comparison: Comparison, place: Place, old: Operation, now: Operation): ReadonlyArray<Found> =>
  old.kind === now.kind ? [] : [{
    rule: "diff/kind",
    place,
    message: `${old.name} was a ${word(old)}, and is a ${word(now)}`,
    verdict: "breaking",
    witness: requestOf(comparison, comparison.before, old),
    reason: `a ${word(old)} of this name is not served any more`
  }]

const params = (comparison: Comparison, place: Place, old: Operation, now: Operation): ReadonlyArray<Found> => {
  const { after, before } = comparison
  const oldNamed = nodeOf(before, old, "named")
  const newNamed = nodeOf(after, now, "named")
  const oldPositional = nodeOf(before, old, "positional")
  const newPositional = nodeOf(after, now, "positional")
  const byName = oldNamed !== undefined && newNamed !== undefined ? values(comparison, oldNamed, newNamed, place) : []
  const isBroken = byName.some(({ verdict }) => verdict !== "compatible")
  const byPosition = oldPositional !== undefined && newPositional !== undefined && !isBroken
    ? values(comparison, oldPositional, newPositional, place).map((change) =>
      oldNamed === undefined ? change : moved(change)
    )
    : []
  return [
    ...structure(comparison, place, old, now),
    ...byName,
    // Names have told already what else is new.
    ...oldNamed === undefined ? byPosition : byPosition.filter(({ verdict }) => verdict !== "compatible")
  ]
}

/** By their names the params are the same. */
const moved = (change: Found): Found => ({
  ...change,
  rule: "diff/param-moved",
  message: "params have other positions than before"
})

/** A structure that is sent and not accepted any more. */
const structure = (comparison: Comparison, place: Place, old: Operation, now: Operation): ReadonlyArray<Found> => {
  const { after, before } = comparison
  const isSent = place.direction === "sends"
  const [sender, sent, receiver, accepted] = isSent ? [before, old, after, now] : [after, now, before, old]
  return (["named", "positional"] as const).flatMap((member): ReadonlyArray<Found> => {
    const mine = nodeOf(sender, sent, member)
    const other = nodeOf(receiver, accepted, member === "named" ? "positional" : "named")
    if (mine === undefined || other === undefined || nodeOf(receiver, accepted, member) !== undefined) return []
    const head = {
      rule: "diff/param-structure",
      place,
      message: `params were sent ${old.structure}, and are sent ${now.structure}`,
      before: isSent ? mine : other,
      after: isSent ? other : mine
    } as const
    const answer = comparison.counterexample(mine, other)
    if (answer._tag === "None") return []
    return answer._tag === "Unknown"
      ? [{ ...head, verdict: "unknown", reason: answer.why }]
      : [{ ...head, verdict: "breaking", witness: answer.value, reason: refusal(other, answer.value) }]
  })
}

const result = (
  comparison: Comparison,
  place: Place,
  old: Operation,
  now: Operation,
  member: "item" | "result"
): ReadonlyArray<Found> => {
  if (old.kind !== now.kind) return []
  const before = nodeOf(comparison.before, old, member)
  const after = nodeOf(comparison.after, now, member)
  if (before !== undefined && after !== undefined) return values(comparison, before, after, place)
  if (before === undefined && after === undefined) return []
  // A result that is not described may be anything.
  const message = `${place.path} ${after === undefined ? "was described, and is not any more" : "is described now"}`
  const isNarrower = after !== undefined
  const mayBreak = isNarrower === (place.direction === "sends")
  const described = before ?? after
  const answer: Answer = mayBreak && described !== undefined ? anyBut(comparison, described) : { _tag: "None" }
  const rule = isNarrower ? "diff/result-narrowed" : "diff/result-widened"
  return [{
    rule,
    place,
    message,
    verdict: answer._tag === "Found" ? "breaking" : answer._tag === "Unknown" ? "unknown" : "compatible",
    ...described !== undefined && answer._tag === "Found"
      && { witness: answer.value, reason: refusal(described, answer.value) }
  }]
}

/** A value that a schema refuses: an object where there is such a one, as results of tools are objects. */
const anyBut = (comparison: Comparison, node: SchemaNode): Answer => {
  const answer = comparison.counterexample(made({ type: "object" }), node)
  return answer._tag === "Found" ? answer : comparison.counterexample(made(true), node)
}

/** Errors count where both contracts say which there are. */
const errors = (comparison: Comparison, place: Place, old: Operation, now: Operation): ReadonlyArray<Found> => {
  if (old.errors === undefined || now.errors === undefined || old.errors.length === 0) return []
  const before = old.errors
  const after = now.errors
  const isGot = place.direction === "gets"
  const at = (code: number): Place => ({ ...place, path: `${place.path}.${code}` })
  const gone = before.filter(({ code }) => !after.some((error) => error.code === code))
  const fresh = after.filter(({ code }) => !before.some((error) => error.code === code))
  return [
    ...gone.map(({ code, message }): Found => ({
      rule: "diff/error-removed",
      place: at(code),
      message: `the error ${code} is gone`,
      verdict: isGot ? "compatible" : "breaking",
      ...!isGot && { witness: { code, message } }
    })),
    ...fresh.map(({ code, message }): Found => ({
      rule: "diff/error-added",
      place: at(code),
      message: `the error ${code} is new`,
      verdict: isGot ? "breaking" : "compatible",
      ...isGot && { witness: { code, message } }
    })),
    ...before.flatMap(({ code, data }, index) => {
      const other = after.findIndex((error) => error.code === code)
      if (data === undefined || after[other]?.data === undefined) return []
      return values(
        comparison,
        comparison.before.nodes.at(`${pointerOf(old)}/errors/${index}/data`),
        comparison.after.nodes.at(`${pointerOf(now)}/errors/${other}/data`),
        { ...at(code), path: `${place.path}.${code}.data` }
      )
    })
  ]
}
