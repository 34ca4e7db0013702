/**
 * The keys of the tasks of one server in its journal.
 *
 * - `…/<task>` has the states of a task. Its owner writes them, under an epoch that fences earlier owners.
 * - `…/of/<principal>` has the ids of the tasks of a principal.
 * - `…/nodes/<node>` has until when a node is known to run, and `…/nodes/<node>/inbox` what it is told of its tasks.
 */
import type { Journal } from "@parley/mesh/Journal"
import type { Fenced, Overloaded } from "@parley/mesh/Mesh"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { TaskError } from "../../../Tasks.ts"
import * as TaskRecord from "./TaskRecord.ts"

/** A message to a node about a task that it runs. @internal */
export const Message = Schema.Struct({
  taskId: Schema.String,
  /** Answers by the keys that the client was asked under. */
  answers: Schema.optionalKey(Schema.Record(Schema.String, Schema.JsonObject)),
  /** The errors of questions that the client could not answer. */
  refusals: Schema.optionalKey(Schema.Record(Schema.String, TaskError)),
  cancel: Schema.optionalKey(Schema.Boolean)
})

/** @internal */
export type Message = typeof Message.Type

const Listed = Schema.fromJsonString(Schema.Struct({ taskId: Schema.String, until: Schema.Finite }))

/** A task in the list of its principal. @internal */
export interface Listed {
  readonly position: number
  readonly taskId: string
  readonly until: number
}

const decodeListed = Schema.decodeUnknownOption(Listed)
const decodeMessage = Schema.decodeUnknownOption(Schema.fromJsonString(Message))
const decodeUntil = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Finite))

/** A state, and its position under its key. @internal */
export interface Placed {
  readonly record: TaskRecord.TaskRecord
  readonly position: number
}

/** @internal */
export class TaskJournal {
  readonly #journal: Journal
  readonly #prefix: string

  constructor(journal: Journal, server: string) {
    this.#journal = journal
    this.#prefix = `mcp/${encodeURIComponent(server)}/tasks`
  }

  /** Writes a state, and gives its position. */
  write(record: TaskRecord.TaskRecord): Effect.Effect<number, Fenced | Overloaded> {
    return this.#journal.append(this.#task(record.taskId), TaskRecord.encode(record), record.epoch, 1)
  }

  /** The last state of a task; `undefined` where there is none. */
  read(taskId: string): Effect.Effect<Placed | undefined, Overloaded> {
    return Effect.map(this.#journal.last(this.#task(taskId)), (last) => {
      const record = last && TaskRecord.decode(last.text)
      return record && { record, position: last.position }
    })
  }

  /** Ends when the state behind a position is there. */
  changed(taskId: string, position: number): Effect.Effect<void, Overloaded> {
    return Stream.runDrain(Stream.take(this.#journal.follow(this.#task(taskId), position), 1))
  }

  fence(taskId: string, epoch: number): Effect.Effect<void, Fenced | Overloaded> {
    return this.#journal.fence(this.#task(taskId), epoch)
  }

  drop(taskId: string, epoch: number): Effect.Effect<void> {
    return Effect.ignore(this.#journal.drop(this.#task(taskId), epoch))
  }

  /** Adds a task to the list of its principal. */
  list(principal: string, taskId: string, until: number): Effect.Effect<void, Fenced | Overloaded> {
    return Effect.asVoid(this.#journal.append(this.#of(principal), JSON.stringify({ taskId, until }), 0))
  }

  /** The tasks of a principal that were not forgotten yet, behind a position. */
  listed(principal: string, after: number): Effect.Effect<ReadonlyArray<Listed>, Overloaded> {
    return Effect.flatMap(
      Clock.currentTimeMillis,
      (now) =>
        Effect.map(this.#journal.read(this.#of(principal), after), (items) =>
          items.flatMap((item) => {
            const listed = item._tag === "Entry" ? Option.getOrUndefined(decodeListed(item.text)) : undefined
            return item._tag === "Entry" && listed !== undefined && listed.until > now
              ? [{ position: item.position, ...listed }]
              : []
          }))
    )
  }

  /** Says that a node runs until a time. */
  live(node: string, until: number): Effect.Effect<void, Fenced | Overloaded> {
    return Effect.asVoid(this.#journal.append(this.#node(node), String(until), 0, 1))
  }

  /** Until when a node is known to run. */
  aliveUntil(node: string): Effect.Effect<number, Overloaded> {
    return Effect.map(
      this.#journal.last(this.#node(node)),
      (last) => last === undefined ? 0 : Option.getOrElse(decodeUntil(last.text), () => 0)
    )
  }

  /** Tells a node something of a task that it runs. */
  tell(node: string, message: Message): Effect.Effect<void, Fenced | Overloaded> {
    return Effect.asVoid(this.#journal.append(this.#inbox(node), JSON.stringify(message), 0))
  }

  /** The messages to a node. The stream ends where the journal has forgotten the inbox. */
  messages(node: string): Stream.Stream<Message, Overloaded> {
    return Stream.flatMap(this.#journal.follow(this.#inbox(node), 0), (item) => {
      const message = item._tag === "Entry" ? Option.getOrUndefined(decodeMessage(item.text)) : undefined
      return message === undefined ? Stream.empty : Stream.succeed(message)
    })
  }

  /** Forgets the messages to a node. */
  empty(node: string): Effect.Effect<void> {
    return Effect.ignore(this.#journal.drop(this.#inbox(node), 0))
  }

  /** A node that has ended is told nothing more. */
  leave(node: string): Effect.Effect<void> {
    return Effect.andThen(this.empty(node), Effect.ignore(this.#journal.drop(this.#node(node), 0)))
  }

  #task(taskId: string) {
    return `${this.#prefix}/${encodeURIComponent(taskId)}`
  }

  #of(principal: string) {
    return `${this.#prefix}/of/${encodeURIComponent(principal)}`
  }

  #node(node: string) {
    return `${this.#prefix}/nodes/${node}`
  }

  #inbox(node: string) {
    return `${this.#prefix}/nodes/${node}/inbox`
  }
}
