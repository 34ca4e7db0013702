/** Operations that belong together: what one creates, others read and delete. */
import type { Operation } from "../../protocol/Protocol.ts"
import { said } from "./words.ts"

/** A chain. */
export interface Chain {
  readonly create: Operation
  /** Those that may read what is created, those of the same noun first. */
  readonly reads: ReadonlyArray<{ readonly operation: Operation; readonly isSame: boolean }>
  readonly deletes: ReadonlyArray<Operation>
}

/** The chains of operations, by their names. Whether arguments fit together is seen when there is something to name. */
export const chainsOf = (operations: ReadonlyArray<Operation>): ReadonlyArray<Chain> => {
  // A method that takes its params in two ways is there twice.
  const once = [...new Map(operations.toReversed().map((operation) => [operation.name, operation])).values()].reverse()
  const named = once.flatMap((operation) => {
    const found = said(operation.name)
    return found === undefined ? [] : [{ operation, ...found }]
  })
  const doing = (deed: string) => named.filter((one) => one.deed === deed)
  return doing("create").flatMap(({ noun, operation: create }) => {
    const reads = doing("read").map((read) => ({ operation: read.operation, isSame: read.noun === noun }))
      .toSorted((one, other) => Number(other.isSame) - Number(one.isSame))
    const deletes = doing("delete").filter((one) => one.noun === noun).map(({ operation }) => operation)
    return reads.length + deletes.length === 0 ? [] : [{ create, reads, deletes }]
  })
}
