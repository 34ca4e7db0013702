/**
 * Errors whose stack would say nothing: the other side causes them, and the frames
 * are those of the reading, not those of the program that called.
 *
 * The capture of a stack takes thirty times as long as the decoding of a message.
 *
 * ```ts run
 * import { Stackless } from "@parley/protocol/shared"
 *
 * class Refused extends Error {}
 * const QuickRefused = Stackless.stackless(Refused)
 *
 * console.log(new Refused("no").stack?.includes("\n    at ")) // => true
 * console.log(new QuickRefused("no").stack?.includes("\n    at ")) // => false
 * ```
 *
 * @since 0.1.0
 */

/** V8 and JavaScriptCore capture as many frames. Other engines ignore it, and so do the library types. */
const frames: ErrorConstructor & { stackTraceLimit?: number | undefined } = Error

/** It cannot be set where the intrinsics are frozen. There stacks are captured. */
const isSettable = Reflect.set(Error, "stackTraceLimit", frames.stackTraceLimit)

const setLimit = (limit: number | undefined): void => {
  if (isSettable) frames.stackTraceLimit = limit
}

/**
 * Runs what makes or throws an error, without capturing its stack.
 *
 * @category constructors
 * @since 0.1.0
 */
export const withoutStack = <A>(run: () => A): A => {
  const limit = frames.stackTraceLimit
  setLimit(0)
  try {
    return run()
  } finally {
    setLimit(limit)
  }
}

/**
 * The class, with a constructor that captures no stack.
 *
 * @category constructors
 * @since 0.1.0
 */
export const stackless = <C extends new(...args: never) => object>(Class: C): C =>
  new Proxy(Class, {
    construct: (target, args, made) => withoutStack(() => Reflect.construct(target, args, made))
  })
