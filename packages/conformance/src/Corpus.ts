/**
 * Texts to a server and what it must answer, as data: all examples of the specification, and what lies between them.
 *
 * The server has the specimen methods that `WireCase` names, the default limits, and the dialect of plain JSON-RPC
 * 2.0. Each case is the first text on its connection.
 *
 * @since 0.1.0
 */
import { batches } from "./corpus/batches.ts"
import { examples } from "./corpus/examples.ts"
import { ids } from "./corpus/ids.ts"
import { json } from "./corpus/json.ts"
import { requests } from "./corpus/requests.ts"
import { responses } from "./corpus/responses.ts"
import type { WireCase } from "./corpus/WireCase.ts"

export { compare, isLine, type WireCase } from "./corpus/WireCase.ts"

/**
 * All cases. No two have the same name.
 *
 * @category corpora
 * @since 0.1.0
 */
export const corpus: ReadonlyArray<WireCase> = [...examples, ...json, ...ids, ...requests, ...batches, ...responses]
