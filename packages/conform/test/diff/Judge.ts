/** Holds the witnesses of changes against both contracts, by `ajv` and by our own check. */
import { assert } from "@effect/vitest"
import { Ajv2019 as Ajv } from "ajv/dist/2019.js"
import type { Schema } from "effect"
import { type ContractDiff, Lock } from "../../src/index.ts"

/** Whether a value fits the schema at a pointer, as `ajv` says. */
export type Judge = (pointer: string, value: Schema.Json) => boolean

/** The judge of the schemas of a contract. */
export const make = (surface: ContractDiff.Surface): Judge => {
  const ajv = new Ajv({ strict: false, validateFormats: false, validateSchema: false, allErrors: false, logger: false })
  const lock: object = JSON.parse(Lock.toText(surface))
  ajv.addSchema(lock, "lock")
  const known = new Map<string, (value: Schema.Json) => boolean>()
  return (pointer, value) => {
    let validate = known.get(pointer)
    if (validate === undefined) {
      const compiled = ajv.getSchema(`lock#${pointer.split("/").map(encodeURIComponent).join("/")}`)
      if (compiled === undefined) throw new Error(`there is no schema at ${pointer}`)
      known.set(pointer, validate = (value) => compiled(value) === true)
    }
    return validate(value)
  }
}

/** A contract, and who judges its schemas. */
export interface Side {
  readonly surface: ContractDiff.Surface
  readonly judge: Judge
}

/** Each break has a witness, which its sender may send and its receiver refuses. */
export const holdWitnesses = (
  before: Side,
  after: Side,
  changes: ContractDiff.ContractDiff["changes"]
): void => {
  for (const { direction, operation, rule, schemas, verdict, witness } of changes) {
    if (verdict !== "breaking") continue
    const title = `${rule} ${operation} ${JSON.stringify(witness)}`
    assert.isDefined(witness, title)
    if (rule === "diff/method-removed") assert.isFalse(after.surface.operations.has(operation))
    else if (rule === "diff/method-added") assert.isFalse(before.surface.operations.has(operation))
    if (schemas === undefined || witness === undefined) continue
    const isSent = direction === "sends"
    const [sender, receiver] = isSent ? [before, after] : [after, before]
    const [from, to] = isSent ? [schemas.before, schemas.after] : [schemas.after, schemas.before]
    assert.isTrue(sender.judge(from, witness), title)
    assert.isFalse(receiver.judge(to, witness), title)
    assert.isTrue(sender.surface.nodes.fits(sender.surface.nodes.at(from), witness), title)
    assert.isFalse(receiver.surface.nodes.fits(receiver.surface.nodes.at(to), witness), title)
  }
}
