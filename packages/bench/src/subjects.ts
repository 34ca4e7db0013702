/**
 * All that is measured. A library is loaded only when one of its subjects is asked for.
 */
import type { Subject } from "./Subject.ts"

export const load = async (names: RegExp): Promise<ReadonlyArray<Subject>> => {
  const { floors } = await import("./floor/subjects.ts")
  const { libraries } = await import("./peers/libraries.ts")
  const { parley } = await import("./peers/parley.ts")
  const { effectRpc } = await import("./peers/effectRpc.ts")
  return [...floors, ...parley, ...libraries, ...effectRpc].filter(({ name }) => names.test(name))
}
