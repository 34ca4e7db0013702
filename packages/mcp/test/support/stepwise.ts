/** Runs fibers step by step, so that a test can interrupt them anywhere. */
import { Effect, Scheduler } from "effect"

/** A scheduler whose fibers give way after so many operations, and go on when they are told to. */
export const stepwise = (operations: number) => {
  const tasks: Array<() => void> = []
  const step = () => tasks.shift()?.()
  const flush = () => {
    while (tasks.length > 0) step()
  }
  const scheduler: Scheduler.Scheduler = {
    executionMode: "async",
    shouldYield: (fiber) => fiber.currentOpCount > operations,
    makeDispatcher: () => ({ scheduleTask: (task) => void tasks.push(task), flush })
  }
  return { scheduler, step, flush }
}

/** Lets promises, and the fibers of other schedulers, go on. */
export const turn: Effect.Effect<void> = Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))
