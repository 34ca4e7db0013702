/** The documents that an editor has open, by their URI. */
import { Effect, Stream, SubscriptionRef } from "effect"
import type { Glossary } from "./Glossary.ts"

/** An open document, and how its editor wants it to be judged. */
export interface Document {
  readonly version: number
  readonly glossary: Glossary
  readonly severity: 1 | 2
}

type Open = ReadonlyMap<string, Document>

export interface Documents {
  readonly get: (uri: string) => Effect.Effect<Document | undefined>
  /** In the order they were opened. */
  readonly glossaries: Effect.Effect<ReadonlyArray<Glossary>>
  readonly set: (uri: string, document: Document) => Effect.Effect<void>
  readonly remove: (uri: string) => Effect.Effect<void>
  /** Waits until a document has another version. */
  readonly changed: (uri: string, version: number) => Effect.Effect<void>
}

export const make: Effect.Effect<Documents> = Effect.map(SubscriptionRef.make<Open>(new Map()), (open) => ({
  get: (uri) => Effect.map(SubscriptionRef.get(open), (documents) => documents.get(uri)),
  glossaries: Effect.map(
    SubscriptionRef.get(open),
    (documents) => [...documents.values()].map((each) => each.glossary)
  ),
  set: (uri, document) => SubscriptionRef.update(open, (documents) => new Map(documents).set(uri, document)),
  remove: (uri) => SubscriptionRef.update(open, (documents) => new Map([...documents].filter(([key]) => key !== uri))),
  changed: (uri, version) =>
    SubscriptionRef.changes(open).pipe(
      Stream.filter((documents) => documents.get(uri)?.version !== version),
      Stream.take(1),
      Stream.runDrain
    )
}))
