/**
 * The group of processes that a child process leads: what it has started, and what that has started, unless it has left
 * the group. On Windows there are no groups, and the child stands for itself.
 *
 * The number of a group is that of its leader. Nobody else gets it before the leader was waited for, nor as long as the
 * group has a member. So it is signalled after the exit of the leader only if members were seen ever since: a number is
 * given again after many thousands of others.
 *
 * The groups that are left when our process exits get SIGKILL: nobody else would end them.
 */
import { Monotonic } from "@parley/transport/shared"
import type { Clock } from "effect/Clock"
import * as Effect from "effect/Effect"
import type { ChildProcess } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"

/** The groups that may have members. */
const live = new Set<ProcessGroup>()

const endAll = () => {
  for (const group of live) group.signal("SIGKILL")
}

/** @internal */
export class ProcessGroup {
  readonly #leader: ChildProcess
  readonly #clock: Clock
  #hasMembers = true
  /** The time at which members were seen last, in milliseconds. */
  #seen = 0

  constructor(leader: ChildProcess, clock: Clock) {
    this.#leader = leader
    this.#clock = clock
    if (leader.pid !== undefined && !isWindows) this.#enlist()
    // Other members may be left when the leader exits.
    leader.on("exit", () => {
      this.#seen = Monotonic.now(this.#clock)
      this.#look()
    })
  }

  /** Waits until no process of the group runs. As long as it waits, the number stays known. */
  readonly gone: Effect.Effect<void> = Effect.suspend(() => this.#wait(shortestPause))

  /** Sends a signal to all processes of the group. */
  signal(signal: NodeJS.Signals) {
    const { pid } = this.#leader
    if (pid === undefined || !this.#look()) return
    try {
      process.kill(isWindows ? pid : -pid, signal)
    } catch {
      if (this.#isLed) this.#leader.kill(signal)
    }
  }

  #enlist() {
    if (live.size === 0) process.on("exit", endAll)
    live.add(this)
  }

  #dismiss() {
    if (live.delete(this) && live.size === 0) process.off("exit", endAll)
  }

  get #isLed(): boolean {
    const { exitCode, pid, signalCode } = this.#leader
    return pid !== undefined && exitCode === null && signalCode === null
  }

  #look(): boolean {
    if (this.#isLed) return true
    const { pid } = this.#leader
    const now = Monotonic.now(this.#clock)
    const isKnown = this.#hasMembers && now - this.#seen <= longestGap
    this.#hasMembers = isKnown && pid !== undefined && !isWindows && hasMembers(pid)
    this.#seen = now
    if (!this.#hasMembers) this.#dismiss()
    return this.#hasMembers
  }

  #wait(pause: number): Effect.Effect<void> {
    return this.#look()
      ? Effect.andThen(
        Effect.sleep(pause),
        Effect.suspend(() => this.#wait(Math.min(pause * 2, longestPause)))
      )
      : Effect.void
  }
}

const isWindows = process.platform === "win32"

/** Milliseconds between two looks: most that is left ends soon. */
const shortestPause = 5
const longestPause = 100

/** Milliseconds without a look after which the number may be that of others. */
const longestGap = 2_000

/** Whether a group has a member that runs and that we may signal. */
const hasMembers = (group: number): boolean => {
  try {
    process.kill(-group, 0)
  } catch {
    return false
  }
  return process.platform !== "linux" || hasRunning(group)
}

/** A process that has exited stays a member until it is waited for, which the first process of a container may never do. */
const hasRunning = (group: number): boolean => {
  try {
    return readdirSync("/proc").some((name) => /^\d+$/.test(name) && isMember(name, group))
  } catch {
    return true
  }
}

const isMember = (process: string, group: number): boolean => {
  try {
    const stat = readFileSync(`/proc/${process}/stat`, "latin1")
    // The name of the program may have blanks and parentheses: state, parent and group follow the last one.
    const [state = "", , id] = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    return Number(id) === group && !"ZX".includes(state)
  } catch {
    // It has gone meanwhile.
    return false
  }
}
