/**
 * One connection to Redis, reserved for us, and what is under way on it.
 *
 * A command is answered, refused or given up in little more than `timeout`. While an answer is overdue, nothing more is
 * sent, and no more than `pending` characters are under way at any time: a command for which there is no room waits for
 * those before it. The commands that wait have the bound of a `Backlog`. A connection that dies, or stands still for
 * `patience` times as long, is replaced when the next command comes. Redis is told first to close the old one, so that
 * nothing that was left in it is done behind what is sent now: commands are done in their order, if they are done.
 */
import { Backlog } from "@parley/mesh/shared"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import type * as Redis from "effect/persistence/Redis"

/** @internal */
export interface LineOptions {
  /** Milliseconds until a command is given up. */
  readonly timeout: number
  /** The weight of commands under way: their characters, and 256 for each. */
  readonly pending: number
}

/** Why a command was not answered, and whether Redis may have done it all the same. @internal */
export class Failure {
  readonly reason: string
  readonly mayBeDone: boolean

  constructor(reason: string, mayBeDone: boolean) {
    this.reason = reason
    this.mayBeDone = mayBeDone
  }
}

/** A command, as it is when it is sent. @internal */
export type Command = (server: Server) => readonly [name: string, ...args: ReadonlyArray<string>]

/** The server at the other end. @internal */
export interface Server {
  /** Since when it has had what it has, in milliseconds of its clock: it has started then, or has followed another. */
  readonly since: number
  /** The digest of a script that it knows. */
  readonly digestOf: (lua: string) => string
}

interface Asked {
  readonly command: Command
  readonly weight: number
  readonly at: number
  /** `undefined` when its asker has been told, or has left. */
  tell: ((exit: Exit.Exit<unknown, Failure>) => void) | undefined
}

/** The commands that were sent over a connection, in order. */
interface Link {
  readonly server: Server
  readonly connection: Redis.Connection
  readonly handed: Set<Asked>
}

/** @internal */
export class Line {
  readonly #redis: Redis.Redis["Service"]
  readonly #scripts: ReadonlyArray<string>
  readonly #timeout: number
  readonly #pending: number
  readonly #clock: Clock.Clock
  readonly #fork: <A, E>(effect: Effect.Effect<A, E>) => Fiber.Fiber<A, E>
  #link: Link | undefined
  /** The life of the connection, from its opening on. */
  #life: Fiber.Fiber<never, Redis.RedisError> | undefined
  /** Changes with each connection: one that was given up is not used any more. */
  #turn = 0
  #opened = 0
  /** Commands that wait for room, in their order. */
  readonly #queued: Backlog.Backlog<Asked>
  /** Commands that wait for a connection. */
  #waiting: Array<Asked> = []
  #weight = 0
  #isWatched = false
  /** Since when an answer is overdue. */
  #overdue: number | undefined
  #lastFailure = { at: Number.NEGATIVE_INFINITY, reason: "" }
  #isClosed = false
  /** The server and connection before, and since when that server had what it had. */
  #last = { run: "", client: "", since: 0 }

  constructor(
    redis: Redis.Redis["Service"],
    scripts: ReadonlyArray<string>,
    { pending, timeout }: LineOptions,
    context: Context.Context<never>
  ) {
    this.#redis = redis
    this.#scripts = scripts
    this.#timeout = timeout
    this.#pending = pending
    this.#queued = Backlog.make(Math.max(Backlog.mostWaiting, 4 * pending))
    this.#clock = Context.get(context, Clock.Clock)
    this.#fork = Effect.runForkWith(context)
  }

  /** Does a command, and gives its reply. */
  run<A>(weight: number, command: Command): Effect.Effect<A, Failure> {
    return Effect.callback<unknown, Failure>((resume) => {
      const reason = this.#refusal
      if (reason !== undefined) return resume(Effect.fail(new Failure(reason, false)))
      const asked: Asked = { command, weight, at: this.#now, tell: resume }
      if (!this.#queued.add(asked)) return resume(Effect.fail(new Failure(full(this.#pending), false)))
      this.#fill()
      this.#watch()
      return Effect.sync(() => {
        asked.tell = undefined
        if (this.#queued.delete(asked)) this.#fill()
      })
      // The one who asks knows what the command replies.
    }) as Effect.Effect<A, Failure>
  }

  /** Runs a script that it knows. `weight` is that of texts among its arguments. */
  eval<A>(
    lua: string,
    keys: ReadonlyArray<string>,
    args: (server: Server) => ReadonlyArray<string>,
    weight = 0
  ): Effect.Effect<A, Failure> {
    const whole = keys.reduce((sum, { length }) => sum + length, weight + weightOfCommand)
    const by = (name: string, which: (server: Server) => string) =>
      this.run<A>(whole, (server) => [name, which(server), String(keys.length), ...keys, ...args(server)])
    return Effect.catch(
      by("EVALSHA", ({ digestOf }) => digestOf(lua)),
      // The scripts of the server were flushed.
      (failure) => failure.reason.includes("NOSCRIPT") ? by("EVAL", () => lua) : Effect.fail(failure)
    )
  }

  /** Gives up the commands in flight. */
  close() {
    this.#isClosed = true
    this.#drop("it was closed")
  }

  /** Milliseconds that never go back. */
  get #now(): number {
    return Number(this.#clock.monotonicTimeNanosUnsafe() / 1_000_000n)
  }

  get #refusal(): string | undefined {
    const now = this.#now
    const { at, reason } = this.#lastFailure
    if (this.#isClosed) return "it was closed"
    if (this.#life === undefined && now - at < pause) return reason
    return this.#overdue === undefined ? undefined : silence(now - this.#overdue)
  }

  /** Begins the commands for which there is room. The first one waits for all before it, and none overtakes it. */
  #fill() {
    for (const asked of this.#queued) {
      if (this.#weight > 0 && this.#weight + asked.weight > this.#pending) return
      this.#queued.delete(asked)
      this.#weight += asked.weight
      if (this.#link === undefined) {
        this.#waiting.push(asked)
        this.#open()
      } else this.#hand(this.#link, asked)
    }
  }

  get #isOpening(): boolean {
    return this.#life !== undefined && this.#link === undefined
  }

  /** Since when the connection owes an answer, or `now` where it owes none. */
  #owing(now: number): number {
    if (this.#isOpening) return this.#opened
    for (const { at } of this.#link?.handed ?? []) return at
    return now
  }

  #hand(link: Link, asked: Asked) {
    link.handed.add(asked)
    const [name, ...args] = asked.command(link.server)
    this.#fork(link.connection.send(name, ...args)).addObserver((exit) => this.#answered(link, asked, exit))
  }

  #answered(link: Link, asked: Asked, exit: Exit.Exit<unknown, Redis.RedisError>) {
    if (!link.handed.has(asked)) return
    const reason = Exit.isFailure(exit) ? textOf(exit.cause) : undefined
    if (reason === undefined || isReply(reason)) {
      link.handed.delete(asked)
      this.#overdue = undefined
      // It has become the replica of another: the next connection finds that one.
      if (reason?.startsWith("READONLY ") === true) this.#drop(reason)
      return this.#end(asked, Exit.mapError(exit, () => new Failure(`Redis says: ${reason}`, false)))
    }
    if (!isUnsent(reason)) return this.#drop(reason)
    // Nothing that was handed to it was sent: this is the oldest.
    const again = [...link.handed]
    link.handed.clear()
    this.#leave()
    this.#waiting = again.concat(this.#waiting)
    this.#open()
  }

  #end(asked: Asked, exit: Exit.Exit<unknown, Failure>) {
    this.#weight -= asked.weight
    this.#fill()
    this.#tell(asked, exit)
  }

  #tell(asked: Asked, exit: Exit.Exit<unknown, Failure>) {
    const { tell } = asked
    asked.tell = undefined
    tell?.(exit)
  }

  #open() {
    if (this.#life !== undefined) return
    this.#opened = this.#now
    const turn = ++this.#turn
    const opened = Effect.flatMap(this.#redis.reserve, (connection) => this.#greet(connection))
    const life = Effect.scoped(Effect.flatMap(opened, (link) => {
      if (turn === this.#turn) this.#use(link)
      return Effect.never
    }))
    this.#life = this.#fork(life)
    this.#life.addObserver((exit) => {
      if (turn === this.#turn && Exit.isFailure(exit)) this.#drop(textOf(exit.cause))
    })
  }

  #use(link: Link) {
    this.#link = link
    this.#overdue = undefined
    const waiting = this.#waiting
    this.#waiting = []
    for (const asked of waiting) {
      if (asked.tell === undefined) this.#weight -= asked.weight
      else this.#hand(link, asked)
    }
    this.#fill()
  }

  /** Finds out who the server is, teaches it the scripts, and closes the connection before. */
  #greet(connection: Redis.Connection): Effect.Effect<Link, Redis.RedisError> {
    return Effect.flatMap(
      Effect.all([
        Effect.orElseSucceed(connection.send<string | number>("CLIENT", "ID"), () => ""),
        Effect.orElseSucceed(connection.send<string>("INFO", "server"), () => ""),
        connection.send<ReadonlyArray<string>>("TIME"),
        Effect.forEach(this.#scripts, (lua) => connection.send<string>("SCRIPT", "LOAD", lua), {
          concurrency: "unbounded"
        })
      ], { concurrency: "unbounded" }),
      ([client, info, [seconds, micros], digests]) => {
        const run = /^run_id:(\w+)/m.exec(info)?.[1] ?? ""
        const uptime = Number(/^uptime_in_seconds:(\d+)/m.exec(info)?.[1] ?? Number.POSITIVE_INFINITY)
        const now = Number(seconds) * 1_000 + Math.ceil(Number(micros) / 1_000)
        const before = this.#last
        const since = before.run === run ? before.since : Math.max(before.run === "" ? 0 : now, now - uptime * 1_000)
        this.#last = { run, client: String(client), since }
        const known = new Map(this.#scripts.map((lua, index) => [lua, digests[index] ?? ""]))
        const link: Link = {
          connection,
          handed: new Set(),
          server: { since, digestOf: (lua) => known.get(lua) ?? "" }
        }
        return run !== "" && run === before.run && before.client !== String(client)
          ? Effect.as(Effect.ignore(connection.send("CLIENT", "KILL", "ID", before.client)), link)
          : Effect.succeed(link)
      }
    )
  }

  /** Lets go of the connection, and ends what was under way on it, or waits for it. */
  #drop(reason: string) {
    const handed = [...this.#link?.handed ?? []]
    // Replies that still come over this connection end nothing any more: each command ends once.
    this.#link?.handed.clear()
    const waiting = this.#waiting
    const queued = [...this.#queued]
    const lost = `Redis cannot be reached: ${reason}`
    this.#lastFailure = { at: this.#now, reason: lost }
    this.#leave()
    this.#waiting = []
    for (const asked of queued) this.#queued.delete(asked)
    for (const asked of handed) this.#end(asked, Exit.fail(new Failure(lost, true)))
    for (const asked of waiting) this.#end(asked, Exit.fail(new Failure(lost, false)))
    for (const asked of queued) this.#tell(asked, Exit.fail(new Failure(lost, false)))
  }

  #leave() {
    const life = this.#life
    this.#turn++
    this.#overdue = undefined
    this.#link = undefined
    this.#life = undefined
    // It ends by itself: one that is being opened cannot be interrupted.
    life?.interruptUnsafe()
  }

  /** Gives up overdue commands, as long as commands are in flight. */
  #watch() {
    if (this.#isWatched) return
    this.#isWatched = true
    this.#fork(this.#sweeping).addObserver(() => {
      this.#isWatched = false
    })
  }

  get #sweeping(): Effect.Effect<void> {
    return Effect.suspend(() => {
      const interval = this.#timeout / 4
      const due = this.#now + interval
      return Effect.flatMap(this.#clock.sleep(Duration.millis(interval)), () => {
        const now = this.#now
        // A process that has stood still may have an answer that it has not read yet.
        if (now - due < interval) this.#sweep(now)
        return this.#weight > 0 || this.#isOpening ? this.#sweeping : Effect.void
      })
    })
  }

  #sweep(now: number) {
    for (const asked of this.#queued) {
      if (now - asked.at < this.#timeout) break
      this.#queued.delete(asked)
      this.#tell(asked, Exit.fail(new Failure(full(this.#pending), false)))
    }
    this.#fill()
    const since = this.#owing(now)
    const reason = silence(now - since)
    if (now - since < this.#timeout) return
    if (now - since >= this.#timeout * patience) return this.#drop(reason)
    this.#overdue = since
    const isOver = ({ at }: Asked) => now - at >= this.#timeout
    const [waiting, handed] = [this.#waiting.filter(isOver), [...this.#link?.handed ?? []].filter(isOver)]
    this.#waiting = this.#waiting.filter((asked) => !isOver(asked))
    for (const asked of waiting) this.#end(asked, Exit.fail(new Failure(reason, false)))
    for (const asked of handed) this.#tell(asked, Exit.fail(new Failure(reason, true)))
  }
}

/** Characters that a command counts beside its own. @internal */
export const weightOfCommand = 256

/** How many times `timeout` a connection may stand still, or take to open. @internal */
export const patience = 5

/** Milliseconds until a connection is opened again that could not be. */
const pause = 100

const full = (pending: number): string =>
  `as much is under way to Redis as the limit \`pending\` allows, ${pending} characters`

const silence = (milliseconds: number): string => `Redis has not answered for ${milliseconds} ms`

/** The text of what has failed. Where several addresses were tried, the error has none of its own. @internal */
export const textOf = (failure: Cause.Cause<Redis.RedisError | Failure>): string => {
  const error = Cause.squash(failure)
  if (error instanceof Failure) return error.reason
  const { cause } = error instanceof Error ? error : { cause: error }
  if (!(cause instanceof Error)) return String(cause)
  return cause.message || ("code" in cause ? String(cause.code) : cause.name)
}

/** Whether it is an answer of Redis, which begins with a word in capitals, and no failure of the connection. */
const isReply = (reason: string): boolean => /^[A-Z]+ /.test(reason)

/** Whether the client of the connection knew that it is closed. */
const isUnsent = (reason: string): boolean => reason === "The client is closed" || reason === "The client is offline"
