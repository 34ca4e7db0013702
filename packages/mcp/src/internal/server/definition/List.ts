/**
 * Lists in pages. What everyone may see is written once for each revision, to the
 * last member of the result; what depends on who asks is put together for each.
 *
 * A cursor names the entry before its page, so that pages go on where they were
 * while entries come and go. It says nothing of an entry that its bearer may not see.
 */
import { Written } from "@parley/protocol/shared"
import * as Base64Url from "effect/encoding/Base64Url"
import { memoize } from "effect/Function"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { CacheHint } from "../../../payload/Listing.ts"
import type { RevisionCodec } from "../../../wire/RevisionCodec.ts"

/** @internal */
export type ListName = "tools" | "resources" | "resourceTemplates" | "prompts"

/** How the results of a list end: for how long they keep, and whose they are. @internal */
export interface Finish {
  readonly cache: CacheHint
  readonly serverInfo: (codec: RevisionCodec) => Schema.JsonObject
}

/** @internal */
export class List<Item> {
  readonly #name: ListName
  readonly #items: ReadonlyMap<string, Item>
  readonly #encode: (codec: RevisionCodec, item: Item) => Schema.JsonObject
  readonly #pageSize: number
  readonly #entriesOf = memoize((codec: RevisionCodec): ReadonlyMap<string, Schema.JsonObject> =>
    new Map([...this.#items].map(([name, item]) => [name, this.#encode(codec, item)]))
  )
  readonly #pages = new Map<RevisionCodec, ReadonlyMap<string | undefined, Schema.JsonObject>>()

  constructor(
    name: ListName,
    items: ReadonlyMap<string, Item>,
    encode: (codec: RevisionCodec, item: Item) => Schema.JsonObject,
    pageSize: number
  ) {
    this.#name = name
    this.#items = items
    this.#encode = encode
    this.#pageSize = pageSize
  }

  get items(): ReadonlyMap<string, Item> {
    return this.#items
  }

  /** The result for a cursor; `undefined` where it is none of ours. */
  page(codec: RevisionCodec, cursor: string | undefined, finish: Finish): Schema.JsonObject | undefined {
    const known = this.#pages.get(codec) ?? this.#write(codec, finish)
    return known.get(cursor) ?? this.#pageAfter(codec, [...this.#items.keys()], cursor, finish)
  }

  /** The same of some of the entries. */
  pageOf(
    codec: RevisionCodec,
    names: ReadonlyArray<string>,
    cursor: string | undefined,
    finish: Finish
  ): Schema.JsonObject | undefined {
    return cursor === undefined
      ? this.#pageFrom(codec, names, 0, finish)
      : this.#pageAfter(codec, names, cursor, finish)
  }

  #write(codec: RevisionCodec, finish: Finish): ReadonlyMap<string | undefined, Schema.JsonObject> {
    const names = [...this.#items.keys()]
    const pages = new Map<string | undefined, Schema.JsonObject>()
    for (let from = 0; from === 0 || from < names.length; from += this.#pageSize) {
      const cursor = from === 0 ? undefined : this.#cursorOf(names[from - 1] ?? "")
      pages.set(cursor, Written.keep(this.#pageFrom(codec, names, from, finish)))
    }
    this.#pages.set(codec, pages)
    return pages
  }

  #pageAfter(codec: RevisionCodec, names: ReadonlyArray<string>, cursor: string | undefined, finish: Finish) {
    const name = cursor === undefined ? undefined : this.#nameIn(cursor)
    const last = name === undefined ? -1 : names.indexOf(name)
    return last < 0 ? undefined : this.#pageFrom(codec, names, last + 1, finish)
  }

  #pageFrom(
    codec: RevisionCodec,
    names: ReadonlyArray<string>,
    from: number,
    { cache, serverInfo }: Finish
  ): Schema.JsonObject {
    const entries = this.#entriesOf(codec)
    const some = names.slice(from, from + this.#pageSize)
    const last = from + some.length < names.length ? some.at(-1) : undefined
    const page = codec.encode.page(this.#name, some.flatMap((name) => entries.get(name) ?? []), {
      nextCursor: last === undefined ? undefined : this.#cursorOf(last),
      cache
    })
    return codec.seal(page, serverInfo(codec))
  }

  #cursorOf(name: string): string {
    return Base64Url.encode(`${this.#name} ${name}`)
  }

  #nameIn(cursor: string): string | undefined {
    const text = Result.getOrUndefined(Base64Url.decodeString(cursor))
    const prefix = `${this.#name} `
    return text?.startsWith(prefix) === true ? text.slice(prefix.length) : undefined
  }
}
