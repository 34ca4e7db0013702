/**
 * Texts to a server and its answers, as data: all examples of the specification, and the cases between them.
 *
 * The server has the specimen methods that `WireCase` names, the default limits, and the dialect of plain JSON-RPC
 * 2.0. Each case is the first text on its connection.
 *
 * ```ts run
 * import { Corpus, Specimen } from "@parley/conformance"
 * import { Router } from "@parley/peer"
 * import { Effect, Logger, Option } from "effect"
 *
 * const wrong = Effect.gen(function*() {
 *   const router = yield* Router.make()
 *   yield* router.addAll(Specimen.handlers)
 *   const wrong: Array<string> = []
 *   for (const wireCase of Corpus.corpus) {
 *     const answer = yield* router.answer(wireCase.input)
 *     if (Corpus.compare(wireCase, Option.getOrUndefined(answer)) !== undefined) wrong.push(wireCase.name)
 *   }
 *   return wrong
 * })
 *
 * console.log(await Effect.runPromise(Effect.scoped(wrong).pipe(Effect.provide(Logger.layer([]))))) // => []
 * ```
 *
 * @since 0.1.0
 */
import { batches } from "./internal/corpus/batches.ts"
import { examples } from "./internal/corpus/examples.ts"
import { ids } from "./internal/corpus/ids.ts"
import { json } from "./internal/corpus/json.ts"
import { requests } from "./internal/corpus/requests.ts"
import { responses } from "./internal/corpus/responses.ts"
import type { WireCase } from "./internal/corpus/WireCase.ts"

export { compare, isLine, type WireCase } from "./internal/corpus/WireCase.ts"

/**
 * All cases. No two have the same name.
 *
 * @category corpora
 * @since 0.1.0
 */
export const corpus: ReadonlyArray<WireCase> = [...examples, ...json, ...ids, ...requests, ...batches, ...responses]
