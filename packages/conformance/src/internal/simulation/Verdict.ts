/**
 * Judges a run: at rest, and when everything is closed.
 */
import * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"
import { type Asked, ended, failureOf, type History, type Rule, type Watched } from "./History.ts"
import { isPosting, type Kind, limitsOf, type Scenario, type Side, type Work } from "./Scenario.ts"
import type { Setting, Stage } from "./Work.ts"

/** Nothing moves before the next event: counts the held texts, and the streams of a side that shuts down. @internal */
export const whenQuiet = ({ budgets, history }: Setting) => {
  for (const { feed, n } of history.draining) {
    if (feed === "open") history.find("undrained", `call ${n} has a stream that goes on, and its side shuts down`)
  }
  history.draining.clear()
  for (const side of [0, 1] as const) {
    const held = history.held[side]
    const taken = budgets[side].taken()
    if (taken >= held || history.findings.some(({ rule }) => rule === "uncounted")) continue
    history.find("uncounted", `side ${side} counts ${taken} on its budget, and holds ${held}`)
  }
}

/** Nothing moves any more: every wait must be on purpose. @internal */
export const atRest = (setting: Setting, stage: Stage) => {
  const { history } = setting
  const waits = stage.waits()
  for (const wait of waits) history.say(wait)
  const gone = stage.gone()
  if (gone !== undefined && history.isHonest) history.find("ended", `the session has ended with ${gone}`)
  // Anything else that is wrong then follows from that.
  if (history.hasEnded) return
  const waiting = [...history.asked.values()].filter(({ exit }) => exit === undefined)
  for (const asked of history.asked.values()) if (asked.exit !== undefined) judge(setting, asked)
  for (const { exit, isResumed, n } of history.watched) {
    const failure = exit === undefined ? "nothing" : failureOf(exit)
    if (isResumed && (failure.startsWith("Disconnected") || failure === ended)) {
      history.find("lost", `stream ${n} ended with ${failure}, and was not opened again`)
    }
  }
  if (isDead(setting) || isHeld(history, waiting, 0) || isHeld(history, waiting, 1)) return
  // A handler that waits for a side without places keeps a place of the other side.
  if (isTaken(setting, 0) || isTaken(setting, 1) || isSpent(setting)) return
  const unread = stage.unread()
  const stuck = [
    ...history.watched.filter(isForgotten).map(({ n, side }) => `stream ${n} of ${side}, which is not opened again`),
    ...waiting.filter((asked) => !mayWait(setting, asked)).map(({ n, side }) => `call ${n} of ${side}`),
    ...(history.isHonest ? unhandled(setting) : [])
  ]
  if (stuck.length > 0) {
    const where = [...unread.length > 0 ? unread : ["no text is under way"], ...waits].join("; ")
    history.find(unread.length > 0 ? "blocked" : "forgotten", `at rest wait ${listed(stuck)}: ${where}`)
  }
  if (history.isHonest) uncancelled(history)
}

/** A side that reads nothing has had a moment to do so: texts beyond the budget that wait for it are given up by now. @internal */
export const afterMoment = (setting: Setting) => {
  const { budgets, history, scenario: { bounds, kind } } = setting
  // One connection follows the other, and what waits on the last one has had no moment yet.
  if (kind === "reconnecting" && isDead(setting)) return
  const { budget = Number.POSITIVE_INFINITY } = bounds
  for (const side of [0, 1] as const) {
    const taken = budgets[side].taken()
    // A handler alone may hold more than the budget, and so may the post of a reply.
    if (isPosting(kind) || history.held[side] > 0 || taken <= budget * 9 / 8) continue
    history.find("overdrawn", `side ${side} counts ${taken} on a budget of ${budget}`)
  }
}

/** Both sides are closed, and no deadline is left. @internal */
export const atEnd = ({ budgets, history }: Setting) => {
  for (const { exit, n } of history.asked.values()) {
    if (exit === undefined) history.find("unended", `call ${n} never ends`)
  }
  for (const { exit, n } of history.watched) if (exit === undefined) history.find("unended", `stream ${n} never ends`)
  for (const { exit, n } of history.noted.values()) {
    if (exit === undefined) history.find("unended", `sending notification ${n} never ends`)
  }
  for (const { exit, name, side } of history.served) {
    if (exit === undefined) history.find("leak", `the handler of ${name} on side ${side} never ends`)
  }
  budgets.forEach((budget, side) => {
    if (budget.taken() !== 0) history.find("leak", `side ${side} still counts ${budget.taken()} on its budget`)
  })
}

/** Judges how a call ended that was made after its side was closed. @internal */
export const afterEnd = (history: History, side: Side, exit: Exit.Exit<unknown, unknown> | undefined) => {
  const failure = exit === undefined ? "nothing" : failureOf(exit)
  if (!failure.startsWith("Disconnected")) {
    history.find("unended", `a call after the end of side ${side} ended with ${failure}`)
  }
}

const listed = (all: ReadonlyArray<string>) =>
  all.length <= 4 ? all.join(", ") : `${all.slice(0, 4).join(", ")} and ${all.length - 4} more`

const isDead = ({ readings }: Setting) => readings.some(({ isDead }) => isDead)

/** A pause stops the reading, unless a call waits that takes no partial results. */
const isHeld = ({ pauses }: History, waiting: ReadonlyArray<Asked>, side: Side) =>
  pauses[side] > 0 && waiting.every((asked) => asked.side !== side || asked.asking.partial === true)

const hangs = ({ back, hang }: Work): boolean => hang === true || (back !== undefined && hangs(back))

/** Whether nobody waits for a stream that its consumer still waits for. */
const isForgotten = ({ asked, exit }: Watched) => exit === undefined && asked?.exit !== undefined

/** Whether the scenario is the reason why a call waits. */
const mayWait = ({ history, scenario }: Setting, { asking, began, feed, isNested, side, work }: Asked): boolean =>
  hangs(work) || feed === "open" ||
  // Over posts a handler asks by the answer to its call, which a pause holds if the call takes partial results.
  (isPosting(scenario.kind) && isNested && history.pauses[side === 0 ? 1 : 0] > 0) ||
  // A call that takes partial results is held back by a pause of its own side.
  (asking.partial === true && history.pauses[side] > 0) ||
  (isPosting(scenario.kind) && (began <= lossOf(scenario) || isWindowLost(history, scenario, side)))

/** Whether handlers that go on for ever, or send partial results to who has paused, take all places of a side. */
const isTaken = ({ history, scenario }: Setting, side: Side): boolean => {
  const isPaused = history.pauses[side === 0 ? 1 : 0] > 0
  const held = history.served.filter((served) =>
    served.side === side &&
    (served.isHanging || (isPaused && served.exit === undefined && (served.work.partial ?? 0) > 0))
  )
  return held.length >= scenario.bounds.inFlight
}

/** Whether handlers that go on may hold all of the budget, or a side may have ended because its budget was spent. */
const isSpent = ({ history: { asked, noted, served }, scenario }: Setting): boolean => {
  if (scenario.bounds.budget === undefined) return false
  // The handlers of a side that has ended are interrupted. Nothing else interrupts those of notifications.
  const ends = [...asked.values(), ...noted.values(), ...served.filter(({ isRequest }) => !isRequest)]
  const exits: ReadonlyArray<Exit.Exit<unknown, unknown> | undefined> = ends.map(({ exit }) => exit)
  return served.some(({ exit }) => exit === undefined) || [...asked.values()].some(({ feed }) => feed === "open") ||
    exits.some((exit) =>
      exit !== undefined && ["Disconnected Overrun", "Disconnected Closed", "interrupted"].includes(failureOf(exit))
    )
}

/** When the last loss is over. Over posts a text that is lost is not missed by who sent it. */
const lossOf = ({ actions }: Scenario) =>
  Math.max(-1, ...actions.map((action) => action._tag === "Lose" ? action.at + action.for : -1))

/** Whether calls that were lost fill the window of a side, which holds back those after them until their time is over. */
const isWindowLost = ({ asked }: History, scenario: Scenario, side: Side): boolean => {
  const lost = [...asked.values()].filter((other) =>
    other.side === side && other.exit === undefined && other.began <= lossOf(scenario)
  )
  return lost.length >= limitsOf(scenario.bounds).window
}

const unhandled = ({ history, scenario: { kind } }: Setting): ReadonlyArray<string> => {
  const found: Array<string> = []
  for (const { during, exit, handled, isAfter, n, side } of history.noted.values()) {
    // A post ends with its answer, and what comes by one that was given up is lost with it.
    if (isPosting(kind) && isAfter) continue
    const asked = history.asked.get(during ?? 0)
    if (isPosting(kind) && asked?.exit !== undefined && Exit.isFailure(asked.exit)) continue
    // A pause holds the posts that bring no response, or partial results, whatever other posts bring.
    const isAwaited = asked !== undefined && asked.exit === undefined && asked.asking.partial !== true
    if (isPosting(kind) && !isAwaited && (history.pauses[0] > 0 || history.pauses[1] > 0)) continue
    if (exit === undefined) found.push(`notification ${n} of ${side}, which is not written`)
    else if (Exit.isSuccess(exit) && handled === "no") found.push(`notification ${n} of ${side}, which nobody handles`)
    else if (Exit.isFailure(exit) && !Cause.hasInterrupts(exit.cause) && !isUnsent(kind, failureOf(exit))) {
      history.find("outcome", `notification ${n} of ${side} failed: ${failureOf(exit)}`)
    }
  }
  return found
}

/** Whether nobody is there to be notified, or as many wait for a connection as may. */
const isUnsent = (kind: Kind, failure: string) =>
  failure === "Disconnected NoPeer" || (kind === "reconnecting" && failure === "Disconnected Open")

/** Handlers that continue without a waiting caller. */
const uncancelled = (history: History) => {
  for (const { isHanging, isRequest, n } of history.served) {
    if (isHanging && isRequest && history.asked.get(n)?.exit !== undefined) {
      history.find("uncancelled", `call ${n} has ended, and its handler goes on`)
    }
  }
}

/** Whether a call that ended before the sides were closed ended as the scenario says. */
const judge = (setting: Setting, asked: Asked) => {
  const { history } = setting
  const { exit, n } = asked
  if (exit === undefined) return
  const wrong = Exit.isSuccess(exit) ? wrongResult(asked, exit.value) : wrongFailure(setting, asked, failureOf(exit))
  if (wrong !== undefined) return history.find(wrong, `call ${n} of ${asked.side} ended with ${failureOf(exit)}`)
  if (!Exit.isSuccess(exit)) return
  // One that was made again has what its last handler sent.
  const served = history.served.findLast((served) => served.isRequest && served.n === n)
  for (const what of ["progress", "partial"] as const) {
    // A progress or partial result by another stream than the response may come after it.
    const isPromised = asked.asking[what] === true && asked.asking.aside !== true
    const sent = isPromised ? served?.[what] ?? 0 : 0
    if (asked[what] < sent) history.find("lost", `call ${n} heard ${asked[what]} of ${sent}: ${what}`)
  }
}

const wrongResult = ({ asking, n, work }: Asked, value: unknown): Rule | undefined => {
  if (asking.own !== undefined) return undefined
  // Handlers of `work` answer with an object, and a difference is found whatever came.
  const { n: answered, pad = "" } = (value ?? {}) as { readonly n?: unknown; readonly pad?: string }
  return answered === n && pad.length === Math.max(0, work.size ?? 0) && work.fail === undefined ? undefined : "outcome"
}

/** The rule that a failure breaks, if any. */
const wrongFailure = (
  { history, retry, scenario }: Setting,
  { asking, before, began, isNested, method, n, side, work }: Asked,
  failure: string
): Rule | undefined => {
  const { bounds, kind } = scenario
  const isFaulty = !history.isHonest
  // Its next connection is near, whatever ends one. Those that a budget ends may all be short.
  const mayRepeat = asking.idempotent === true && asking.partial !== true && bounds.budget === undefined
  const isCarried = retry !== undefined && mayRepeat && side === 0
  if (isCarried && (failure.startsWith("Disconnected") || failure === ended)) return "lost"
  if (failure === "interrupted") return asking.giveUp === undefined && !isNested && !isFaulty ? "outcome" : undefined
  if (failure.startsWith("RequestTimeout")) return asking.timeout === undefined && !isFaulty ? "late" : undefined
  if (failure === `RemoteError ${work.fail} as asked`) return undefined
  if (failure.endsWith("Overloaded") && failure.startsWith("RemoteError")) {
    // Over posts nothing tells a caller to wait, and a window knows nothing of a budget.
    return isPosting(kind) || bounds.budget !== undefined ? undefined : "refused"
  }
  if (failure.startsWith("Overloaded")) {
    // It may have been made again when others waited.
    if (asking.idempotent === true) return undefined
    // Of calls that are made at the same time any may be the first.
    const rivals = [...history.asked.values()].filter((other) =>
      other.side === side && other.began === began && other.n > n
    )
    // A side that leaves a stream says so by a call.
    const left = history.watched.filter((stream) => stream.side === side && stream.exit !== undefined)
    return before + rivals.length + left.length >= bounds.waiting ? undefined : "refused"
  }
  if (method === "stream" && isUnsent(kind, failure)) return undefined
  if (failure === "Disconnected NoPeer") return kind === "post" ? undefined : "outcome"
  if (isFaulty && (failure.startsWith("Disconnected") || failure.startsWith("RemoteError -32000"))) return undefined
  if (asking.own !== undefined && failure.startsWith("RemoteError")) return undefined
  // An item that was lost with its post ends the stream.
  if (isFaulty && isPosting(kind) && method === "stream" && failure.startsWith("RemoteError -32603")) return undefined
  return failure.startsWith("Disconnected") ? "ended" : "outcome"
}
