/**
 * The commands of the glossary server: work that takes time, and work that needs
 * the editor.
 *
 * - `glossary.count` counts the words, and tells the caller how far it is.
 * - `glossary.index` tells it under a token of its own, and goes on until the editor cancels that.
 * - `glossary.define` (uri, word) asks the user, and edits the document.
 * - `glossary.study` never ends: it is there to be cancelled.
 */
import { ErrorResponse, type Handler } from "@parley/peer"
import { Deferred, Effect, Option, Schema } from "effect"
import { randomUUID } from "node:crypto"
import type { Documents } from "./Documents.ts"
import { LanguageClient } from "./Lsp.ts"
import * as WorkDone from "./WorkDone.ts"

/** `RequestFailed` of the protocol: the request was understood, and cannot be done. */
export const requestFailed = (message: string) => ErrorResponse.make(-32803, message)

/** The command fails if the editor refuses its part. */
export const needed = <A, E extends { readonly message: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.mapError(effect, ({ message }) => requestFailed(message))

type Command = (args: ReadonlyArray<Schema.Json>, call: Handler.Call) => Effect.Effect<
  Schema.Json,
  ErrorResponse.ErrorResponse
>

export interface Commands {
  readonly names: ReadonlyArray<string>
  readonly run: (name: string, args: ReadonlyArray<Schema.Json>, call: Handler.Call) => ReturnType<Command>
  /** The editor cancels work that we have started under this token. */
  readonly cancel: (token: number | string) => Effect.Effect<void>
}

const Undefined = Schema.Tuple([Schema.String, Schema.String])
const decodeUndefined = Schema.decodeUnknownEffect(Undefined)

export const make = (documents: Documents): Commands => {
  const cancelled = new Map<number | string, Deferred.Deferred<void>>()

  const count = <E>(tell: WorkDone.Tell<E>) =>
    Effect.gen(function*() {
      const glossaries = yield* documents.glossaries
      let words = 0
      for (const [index, { entries, uri }] of glossaries.entries()) {
        words += entries.length
        yield* tell({ message: uri, percentage: Math.round(((index + 1) / glossaries.length) * 100) })
      }
      return words
    })

  const commands: { readonly [name: string]: Command } = {
    "glossary.count": (_, call) =>
      needed(WorkDone.tracked("Counting", (value) => call.progress({ value }), count)).pipe(
        Effect.tap((words) => Effect.ignore(LanguageClient.client(call.peer)["telemetry/event"]({ words })))
      ),

    "glossary.index": (_, { peer }) => {
      const editor = LanguageClient.client(peer)
      const token = randomUUID()
      const work = WorkDone.tracked(
        "Indexing",
        (value) => editor["$/progress"]({ token, value }),
        (tell) => Effect.andThen(count(tell), Effect.never)
      )
      return Effect.acquireUseRelease(
        Effect.tap(Deferred.make<void>(), (left) => Effect.sync(() => cancelled.set(token, left))),
        (left) =>
          needed(Effect.andThen(
            editor["window/workDoneProgress/create"]({ token }),
            Effect.as(Effect.raceFirst(work, Deferred.await(left)), "cancelled")
          )),
        () => Effect.sync(() => cancelled.delete(token))
      )
    },

    "glossary.define": (args, { peer }) =>
      Effect.gen(function*() {
        const editor = LanguageClient.client(peer)
        const [uri, word] = yield* needed(decodeUndefined(args))
        const document = yield* documents.get(uri)
        if (document === undefined) return yield* requestFailed(`${uri} is not open`)
        const asked = editor["window/showMessageRequest"]({
          type: 3,
          message: `What does ${word} mean?`,
          actions: [{ title: "a thing" }, { title: "an idea" }]
        })
        // A question about a text that has changed is taken back: who loses the race is interrupted.
        const answer = yield* Effect.raceFirst(needed(asked), Effect.as(documents.changed(uri, document.version), null))
        if (answer === null) return null
        const start = { line: 0, character: 0 }
        const edit = { changes: { [uri]: [{ range: { start, end: start }, newText: `${word}: ${answer.title}\n` }] } }
        const heard: Array<string> = []
        const { applied } = yield* needed(editor["workspace/applyEdit"]({ edit }, {
          // The editor tells us how far it is.
          onProgress: (params) => {
            const value = WorkDone.fromParams(params)
            if (Option.isSome(value)) heard.push(WorkDone.describe(value.value))
          }
        }))
        return { applied, heard }
      }),

    "glossary.study": (_, call) => {
      const editor = LanguageClient.client(call.peer)
      return needed(WorkDone.tracked("Studying", (value) => call.progress({ value }), () => Effect.never)).pipe(
        Effect.onInterrupt(() =>
          Effect.ignore(editor["window/logMessage"]({ type: 3, message: "the study was given up" }))
        )
      )
    }
  }

  return {
    names: Object.keys(commands),
    run: (name, args, call) =>
      Object.hasOwn(commands, name) && commands[name] !== undefined
        ? commands[name](args, call)
        : Effect.fail(requestFailed(`there is no command ${name}`)),
    cancel: (token) =>
      Effect.suspend(() => {
        const left = cancelled.get(token)
        return left === undefined ? Effect.void : Effect.asVoid(Deferred.succeed(left, undefined))
      })
  }
}
