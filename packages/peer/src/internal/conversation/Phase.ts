/**
 * How far a conversation has come. Phases are numbers, because a phase is never left for one before it: whether a
 * conversation is over is a comparison.
 */

/** @internal */
export type Phase = 0 | 1 | 2 | 3 | 4

/** It reads, runs and calls. @internal */
export const open = 0

/** The input has ended. What was read runs and is answered. @internal */
export const finishing = 1

/** Our side shuts down. Requests that have not started are refused. @internal */
export const refusing = 2

/** Handlers are interrupted. What waits to be written is still written. @internal */
export const ending = 3

/** Every call of ours has failed, and so does every later one. @internal */
export const closed = 4
